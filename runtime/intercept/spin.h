/* A lock of one word for short stretches without system calls.  Whoever holds
 * it has GUARD_BUSY set, so a signal handler never waits for its own thread. */
#ifndef DARSHAN_SPIN_H
#define DARSHAN_SPIN_H

#include "sys.h"

static inline void spin_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* The holder may have lost its processor: after a while, let it run. */
static inline void spin_wait(int *lock) {
  unsigned turns = 0;
  do {
    if (++turns % 64 == 0)
      SYS1(SYS_sched_yield, 0);
    else
      spin_pause();
  } while (__atomic_load_n(lock, __ATOMIC_RELAXED) != 0);
}

static inline void spin_lock(int *lock) {
  while (__builtin_expect(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0, 0))
    spin_wait(lock);
}

static inline void spin_unlock(int *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
