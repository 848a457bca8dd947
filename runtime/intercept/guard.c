/* Defines the guard variables of each thread (guard.h). */
#include "guard.h"

__thread uintptr_t darshan_guard;
