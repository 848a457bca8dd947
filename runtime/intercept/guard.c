#include "guard.h"

#include <stddef.h>

__thread unsigned darshan_guard;
__thread const char *darshan_guard_frame;
__thread int *darshan_guard_lock;
