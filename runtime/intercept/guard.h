/* The one re-entrancy guard.  A thread that updates records sets GUARD_BUSY; a
 * signal handler that interrupts it and does I/O of its own finds the flag,
 * forwards, and its event is counted as dropped.  GUARD_VFORK is set from
 * vfork() until the thread is seen in the parent again: the child of a vfork
 * runs on this very thread's storage, so it must leave every table alone. */
#ifndef DARSHAN_GUARD_H
#define DARSHAN_GUARD_H

enum {
  GUARD_BUSY = 1,
  GUARD_VFORK = 2,
  GUARD_INSIDE = 4, /* inside a call of a library that calls its own functions by name */
  GUARD_MUTED = 8   /* what this thread does meanwhile is not the application's I/O */
};

#define GUARD_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))
extern __thread unsigned darshan_guard GUARD_TLS;
/* Where the frame of the update is, and the record's lock that it holds: a
 * handler may leave by longjmp, and then somebody has to clean up. */
extern __thread const char *darshan_guard_frame GUARD_TLS;
extern __thread int *darshan_guard_lock GUARD_TLS;

/* Between an interrupted frame and those of its handler lie the red zone and
 * the saved registers, more than a kilobyte; between the frames of two events
 * of one caller, less than this. */
enum { GUARD_SAME_CALLER = 512 };

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE __attribute__((always_inline))
/* Keeps the compiler from moving memory accesses across; signals of the same
 * thread need no more. */
#define COMPILER_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
