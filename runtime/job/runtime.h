/* The one runtime struct: everything that this library knows about the process
 * it lives in.  Zero before start; whoever finds fd_limit 0 only forwards. */
#ifndef DARSHAN_RUNTIME_H
#define DARSHAN_RUNTIME_H

#include "../counting/clock.h"
#include "../intercept/guard.h"
#include "../intercept/memory.h"
#include "../memory/scratch.h"
#include "../records/store.h"
#include "config.h"
#include "jobtext.h"
#include "logname.h"
#include "messages.h"
#include "mpi-state.h"

enum {
  RUNTIME_FDS = 1 << 14,    /* descriptors found at once; */
  RUNTIME_FDS_FAR = 1 << 20 /* further ones by another table */
};

enum runtime_phase {
  RUNTIME_OFF,
  RUNTIME_READY,     /* nothing was recorded yet */
  RUNTIME_PREPARING, /* a thread makes the memory for records */
  RUNTIME_RECORDING,
  RUNTIME_FINISHED,
  RUNTIME_SHARED /* recording, but another process may be in this memory (clone.c) */
};

/* What a descriptor number stands for right now. */
struct fd_entry {
  struct posix_file *file;     /* NULL: not followed */
  struct stdio_stream *stream; /* NULL: none */
};

/* What every wrapper reads, in as few cache lines as hold it. */
struct darshan_hot {
  uint32_t fd_limit; /* RUNTIME_FDS while instrumenting, else 0: only forward */
  struct fd_entry *fds;
  const uint32_t *phase_page; /* enum runtime_phase; the kernel wipes it in a fork's child */
  struct darshan_clock clock;
};
extern struct darshan_hot darshan_hot __attribute__((visibility("hidden"), aligned(64)));

/* Which process this is, and who else is in its memory. */
struct process_state {
  pid_t pid;
  pid_t fork_parent; /* 0: not a forked child */
  int64_t first_pid; /* job id where no variable names one */
  uint32_t sharers;  /* children that may be in this memory (clone.c) */
  uint32_t apart;    /* ... with descriptors of their own */
};
extern struct process_state process_state __attribute__((visibility("hidden")));

/* What an exec that fails gives back. */
struct exec_state {
  uint32_t phase_before;
  int thread; /* who is about to exec, and in which frame */
  const char *frame;
  int log_written; /* log_state.path is a finished log */
};
extern struct exec_state exec_state __attribute__((visibility("hidden")));

/* What the records do not say: events that were lost, and the like. */
struct lost_state {
  uint64_t in_handlers;      /* of signals that interrupted an update */
  uint64_t in_shared_memory; /* of other processes in this memory */
  uint64_t without_memory;   /* for which there was none to work on */
  int parts;                 /* a module has found no memory for what it keeps */
  int has_traces;            /* which no journal has */
};
extern struct lost_state lost_state __attribute__((visibility("hidden")));

/* Memory for what a module keeps besides records; where there is none, a line will
 * say that something is missing. */
static inline void *runtime_module_memory(size_t size) {
  void *memory = private_memory(size);
  if (!memory) lost_state.parts = 1;
  return memory;
}

/* Without DARSHAN_ENABLE_NONMPI only MPI jobs leave anything.  A process that may
 * become a rank counts in memory of its own; until MPI_Init it is as if it did
 * not: no file, no line, and no log at its end. */
static inline int runtime_may_leave_files(void) {
  return darshan_config.nonmpi || mpi_state.phase != MPI_NOT_YET;
}

static inline uint32_t runtime_phase(void) {
  return __atomic_load_n(darshan_hot.phase_page, __ATOMIC_RELAXED);
}
/* The phase, to change it. */
static inline uint32_t *runtime_phase_word(void) {
  return (uint32_t *)(uintptr_t)darshan_hot.phase_page;
}
static inline int runtime_is_recording(uint32_t phase) {
  return phase == RUNTIME_RECORDING || phase == RUNTIME_SHARED;
}

/* What to do with an event: 1 count it, 0 leave all tables alone.  Sets
 * GUARD_BUSY when it returns 1; runtime_leave clears it. */
int runtime_enter_slow(const char *frame);
static inline int runtime_enter(void) {
  if (LIKELY(darshan_guard == 0 && runtime_phase() == RUNTIME_RECORDING)) {
    darshan_guard = guard_busy(__builtin_frame_address(0));
    COMPILER_FENCE();
    return 1;
  }
  return runtime_enter_slow(__builtin_frame_address(0));
}
static inline void runtime_leave(void) {
  COMPILER_FENCE();
  darshan_guard &= GUARD_FLAGS & ~GUARD_BUSY;
}

static inline uint64_t ticks_now(void) {
  return clock_ticks(&darshan_hot.clock);
}
/* When what began at t1 has ended. */
static inline uint64_t ticks_after(uint64_t t1) {
  return clock_ticks_after(&darshan_hot.clock, t1);
}
static inline double ticks_seconds(uint64_t ticks) {
  return clock_seconds(&darshan_hot.clock, ticks);
}
/* Keeps the clock fitted. */
void runtime_refit(void);
static inline void ticks_check(uint64_t ticks) {
  if (UNLIKELY(ticks >= __atomic_load_n(&darshan_hot.clock.refit_at, __ATOMIC_RELAXED)))
    runtime_refit();
}
/* When a call began and ended, in seconds since the start of the process. */
static inline struct clock_span ticks_span(uint64_t t1, uint64_t t2) {
  ticks_check(t2);
  return clock_span(&darshan_hot.clock, t1, t2);
}
/* How long it took. */
static inline double ticks_time(uint64_t t1, uint64_t t2) {
  struct clock_span at = ticks_span(t1, t2);
  return at.end - at.start;
}

#endif
