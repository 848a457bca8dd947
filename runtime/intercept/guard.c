#include "guard.h"

__thread unsigned darshan_guard;
