/* The one re-entrancy guard.  A thread that updates records sets GUARD_BUSY; a
 * signal handler that interrupts it and does I/O of its own finds the flag,
 * forwards, and its event is counted as dropped.  GUARD_VFORK is set from
 * vfork() until the thread is seen in the parent again: the child of a vfork
 * runs on this very thread's storage, so it must leave every table alone. */
#ifndef DARSHAN_GUARD_H
#define DARSHAN_GUARD_H

enum { GUARD_BUSY = 1, GUARD_VFORK = 2 };

extern __thread unsigned darshan_guard
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Keeps the compiler from moving memory accesses across; signals of the same
 * thread need no more. */
#define COMPILER_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
