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

/* A lock is held for nanoseconds; who waits this long waits for nobody (a
 * thread that was cancelled or jumped out of a handler at the worst moment).
 * A counter that may be off by one is better than a job that hangs. */
enum { SPIN_GIVE_UP = 64 * 50000 };

/* The holder may have lost its processor: after a while, let it run.  Returns 1
 * to try again, 0 to take the lock as it is. */
static inline int spin_wait(int *lock) {
  for (unsigned turns = 1; turns < SPIN_GIVE_UP; turns++) {
    if (turns % 64 == 0)
      SYS1(SYS_sched_yield, 0);
    else
      spin_pause();
    if (__atomic_load_n(lock, __ATOMIC_RELAXED) == 0) return 1;
  }
  return 0;
}

static inline void spin_lock(int *lock) {
  while (__builtin_expect(__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) != 0, 0))
    if (!spin_wait(lock)) return;
}

static inline void spin_unlock(int *lock) {
  __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif
