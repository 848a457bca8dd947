/* The guard against re-entrancy. A thread that updates records sets GUARD_BUSY. If a signal handler
 * interrupts the update and does I/O, its wrappers find the flag, only forward the call and count a
 * dropped event. GUARD_VFORK is set from vfork() until the runtime sees the thread in the parent
 * again: a vfork child runs on the thread-local storage of its parent's thread, so it must not
 * change any table. */
#ifndef DARSHAN_GUARD_H
#define DARSHAN_GUARD_H

#include <stdint.h>

enum {
  GUARD_BUSY = 1,   /* in an update of records */
  GUARD_VFORK = 2,  /* between vfork and the next event of the parent */
  GUARD_INSIDE = 4, /* within a call of a library that itself calls wrapped functions by name */
  GUARD_MUTED = 8,  /* the thread's calls are not the application's I/O */
  GUARD_FLAGS = 15
};

#define GUARD_TLS __attribute__((tls_model("initial-exec"), visibility("hidden")))
/* Bits 0 to 3 are the flags. While GUARD_BUSY is set, the upper bits are the address of the
 * updating frame: a handler may leave the frame by longjmp, and the runtime must then clean up.
 * Both are in one word, because a signal may come between any two instructions. */
extern __thread uintptr_t darshan_guard GUARD_TLS;

/* The signals that are delayed until this thread's update ends, as a mask: signal n is bit n - 1
 * (handlers.h). handlers_let_in delivers them. */
extern __thread uint64_t darshan_put_off GUARD_TLS;
void handlers_let_in(void) __attribute__((visibility("hidden"), cold));

static inline const char *guard_frame(void) {
  return (const char *)(darshan_guard & ~(uintptr_t)GUARD_FLAGS);
}
static inline uintptr_t guard_busy(const char *frame) {
  return ((uintptr_t)frame & ~(uintptr_t)GUARD_FLAGS) | GUARD_BUSY;
}

/* Begins an update unless this thread is in one, for a lock that is taken both in updates and
 * outside of them: signals are delayed while it is held (handlers.h). Returns 1 if this call
 * began the update, else 0; the caller passes the result to guard_end. */
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

/* Upper bound, in bytes, of the distance between the frames of two events of one caller. The frames
 * of a handler are farther away from the interrupted frame: the red zone and the saved registers,
 * more than a kilobyte, are between them. */
enum { GUARD_SAME_CALLER = 512 };

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Marks a large variable that most processes never touch. start-order.ld puts these variables
 * behind all others, so that the variables that every process writes at its start share few pages.
 * Without that script, as in a static program, a process touches more pages. */
#define SELDOM __attribute__((section(".bss.seldom")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE __attribute__((always_inline))
/* Keeps the compiler from moving memory accesses across it, which is enough for signals of the same
 * thread. */
#define COMPILER_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Call nesting: the library calls in progress on the stack that this thread runs on.
 *
 * These variables belong to a stack, not to a thread: a timer's handler may switch to another stack
 * in the middle of a call, and continue the first one later, perhaps on another thread. An
 * involuntary switch begins in a signal handler. So while a handler of the application runs,
 * handlers.c stores the thread's values on the interrupted stack, and then gives them to the thread
 * that continues that stack. */

enum { INSIDE_MPI_LEVELS = 3, INSIDE_DAOS_FAMILIES = 2 };

struct layer_thread;

/* Frame address of the outermost call of each kind, NULL outside of such calls. */
struct inside {
  const char *mpi[INSIDE_MPI_LEVELS];
  const char *daos[INSIDE_DAOS_FAMILIES];
  const char *pnetcdf;
  const char *gds;
  const char *stdio;
  struct layer_thread *layers; /* the frames of layer attribution */
  uintptr_t flags;             /* of an interrupted stack: GUARD_INSIDE, GUARD_MUTED */
};
extern __thread struct inside darshan_inside GUARD_TLS;

#endif
