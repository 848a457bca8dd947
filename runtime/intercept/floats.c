/* The floating-point state of the application, per thread (floats.h). */
#include "floats.h"

__thread struct floats darshan_floats;
