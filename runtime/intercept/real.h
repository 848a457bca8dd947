/* The real functions behind the wrappers.  Each has a slot, filled by its first
 * call: that costs a process only what it uses. */
#ifndef DARSHAN_REAL_H
#define DARSHAN_REAL_H

#include "guard.h"

/* Fills one slot and returns what it now holds; a function that no library has
 * gets one that fails with ENOSYS.  Never NULL. */
void *real_resolve(void **slot, const char *name) __attribute__((visibility("hidden")));

/* Fills it if there is such a function by now. */
void real_prepare(void **slot, const char *name) __attribute__((visibility("hidden")));

/* The C library's own, where it can be told; else what REAL is. */
void *real_of_libc(void **slot, const char *name) __attribute__((visibility("hidden")));

/* A wrapped function for the runtime's own purposes: a preloaded library that has one, too, may
 * not be ready for it. */
#define LIBC(name) ((__typeof__(real_##name))real_of_libc((void **)&real_##name, #name))

/* Threads fill a slot side by side, with the same value; the load is atomic so
 * that none of them sees half of it. */
#define REAL(name)                                                                                 \
  (*({                                                                                             \
    __typeof__(real_##name) found_ = __atomic_load_n(&real_##name, __ATOMIC_RELAXED);              \
    if (UNLIKELY(!found_))                                                                         \
      found_ = (__typeof__(found_))real_resolve((void **)&real_##name, #name);                     \
    found_;                                                                                        \
  }))

#endif
