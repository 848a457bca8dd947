/* The real functions. The first call of each fills its slot, so a process searches only for the
 * functions that it uses. */
#ifndef DARSHAN_REAL_H
#define DARSHAN_REAL_H

#include "guard.h"

/* ANY_STACK marks a function that realigns its stack. In a program that breaks the ABI of x86-64
 * the stack is off by 8 bytes, which most functions of libc tolerate. EXPORT marks a function that
 * programs call in place of the real one. */
#if defined(__x86_64__)
#define ANY_STACK __attribute__((force_align_arg_pointer))
#else
#define ANY_STACK
#endif
#define EXPORT ANY_STACK __attribute__((visibility("default"), used))

/* Fills the slot and returns its value, never NULL: if no library has the function, the slot gets a
 * function that fails with ENOSYS. */
ANY_STACK void *real_resolve(void **slot, const char *name) __attribute__((visibility("hidden")));

/* Fills the slot if a library has the function by now; otherwise leaves it empty. */
void real_prepare(void **slot, const char *name) __attribute__((visibility("hidden")));

/* Returns libc's own function if it can be identified, otherwise the function that REAL calls. */
void *real_of_libc(void **slot, const char *name) __attribute__((visibility("hidden")));

/* Calls libc's own function for the runtime's own purposes: a preloaded library that also defines
 * the function may not be ready for such a call. */
#define LIBC(name) ((__typeof__(real_##name))real_of_libc((void **)&real_##name, #name))

/* Several threads may fill a slot at the same time, with the same value. The load is atomic, so
 * that no thread reads half of it. */
#define REAL(name)                                                                                 \
  (*({                                                                                             \
    __typeof__(real_##name) found_ = __atomic_load_n(&real_##name, __ATOMIC_RELAXED);              \
    if (UNLIKELY(!found_))                                                                         \
      found_ = (__typeof__(found_))real_resolve((void **)&real_##name, #name);                     \
    found_;                                                                                        \
  }))

#endif
