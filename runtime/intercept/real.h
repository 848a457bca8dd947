/* The real functions behind the wrappers.  Each has a slot, filled by its first
 * call: that costs a process only what it uses. */
#ifndef DARSHAN_REAL_H
#define DARSHAN_REAL_H

#include "guard.h"

/* Fills one slot; a function that no library has gets one that fails with
 * ENOSYS.  Never NULL. */
void real_resolve(void **slot, const char *name) __attribute__((visibility("hidden")));

#define REAL(name)                                                                                 \
  (*({                                                                                             \
    if (UNLIKELY(!real_##name)) real_resolve((void **)&real_##name, #name);                        \
    &real_##name;                                                                                  \
  }))

#endif
