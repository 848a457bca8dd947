#include "guard.h"

__thread uintptr_t darshan_guard;
