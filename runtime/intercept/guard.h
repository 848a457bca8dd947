/* The one re-entrancy guard.  A thread that updates records sets GUARD_BUSY; a
 * signal handler that interrupts it and does I/O of its own finds the flag,
 * forwards, and its event is counted as dropped.  GUARD_VFORK is set from
 * vfork() until the thread is seen in the parent again: the child of a vfork
 * runs on this very thread's storage, so it must leave every table alone. */
#ifndef DARSHAN_GUARD_H
#define DARSHAN_GUARD_H

#include <stdint.h>

enum {
  GUARD_BUSY = 1,
  GUARD_VFORK = 2,
  GUARD_INSIDE = 4, /* inside a call of a library that calls its own functions by name */
  GUARD_MUTED = 8,  /* what this thread does meanwhile is not the application's I/O */
  GUARD_FLAGS = 15
};

#define GUARD_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))
/* The flags, and above them, while GUARD_BUSY is set, the address of the frame that
 * updates: a handler may leave by longjmp, and then somebody has to clean up.  One
 * word, because a signal may come between any two. */
extern __thread uintptr_t darshan_guard GUARD_TLS;

/* The signals that wait for the end of this thread's update (handlers.h). */
extern __thread uint64_t darshan_put_off GUARD_TLS;
void handlers_let_in(void) __attribute__((visibility("hidden"), cold));

static inline const char *guard_frame(void) {
  return (const char *)(darshan_guard & ~(uintptr_t)GUARD_FLAGS);
}
static inline uintptr_t guard_busy(const char *frame) {
  return ((uintptr_t)frame & ~(uintptr_t)GUARD_FLAGS) | GUARD_BUSY;
}

/* Around a lock that is taken in updates and beside them: signals wait (handlers.h).
 * 1 goes to guard_end, if this began it. */
static inline int guard_begin(void) {
  if (darshan_guard & GUARD_BUSY) return 0;
  darshan_guard = (darshan_guard & GUARD_FLAGS) | guard_busy((char *)__builtin_frame_address(0));
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return 1;
}
static inline void guard_let_go(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  darshan_guard &= GUARD_FLAGS & ~GUARD_BUSY;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_expect(darshan_put_off != 0, 0)) handlers_let_in();
}
static inline void guard_end(int begun) {
  if (begun) guard_let_go();
}

/* Between an interrupted frame and those of its handler lie the red zone and
 * the saved registers, more than a kilobyte; between the frames of two events
 * of one caller, less than this. */
enum { GUARD_SAME_CALLER = 512 };

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Of a large variable that most processes never touch: it lies behind all others, so that those
 * that every process writes at its start share few pages.  (start-order.ld puts them there;
 * where it is not used, as in a static program, there are only more pages.) */
#define SELDOM __attribute__((section(".bss.seldom")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE __attribute__((always_inline))
/* Keeps the compiler from moving memory accesses across; signals of the same
 * thread need no more. */
#define COMPILER_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
