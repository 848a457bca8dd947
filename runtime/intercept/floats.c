#include "floats.h"

__thread struct floats darshan_floats;
