/* The one runtime struct: everything that this library knows about the process
 * it lives in.  Zero before start; whoever finds fd_limit 0 only forwards. */
#ifndef DARSHAN_RUNTIME_H
#define DARSHAN_RUNTIME_H

#include "../counting/clock.h"
#include "../door/door.h"
#include "../intercept/guard.h"
#include "../intercept/memory.h"
#include "../memory/scratch.h"
#include "../names/fd-entry.h"
#include "../names/folder.h"
#include "../records/store.h"
#include "config.h"
#include "jobtext.h"
#include "logname.h"
#include "messages.h"
#include "mpi-state.h"

/* Which process this is, and who else is in its memory. */
struct process_state {
  pid_t pid;
  pid_t fork_parent; /* 0: not a forked child */
  int64_t first_pid; /* job id where no variable names one */
  uint32_t sharers;  /* children that may be in this memory (clone.c) */
  int failed_with;   /* the status that exit was asked for; 0: it was 0, or is not known */
  uint32_t apart;    /* ... with descriptors of their own */
};
extern struct process_state process_state __attribute__((visibility("hidden")));

/* What an exec that fails gives back. */
struct exec_state {
  uint32_t phase_before;
  int thread; /* who is about to exec, and in which frame */
  const char *frame;
  int log_written; /* log_path is a finished log */
};
extern struct exec_state exec_state __attribute__((visibility("hidden")));

/* What the records do not say: events that were lost, and the like. */
struct lost_state {
  uint64_t in_handlers;      /* of signals that interrupted an update */
  uint64_t in_shared_memory; /* of other processes in this memory */
  uint64_t without_memory;   /* for which there was none to work on */
  uint64_t by_deepbind;      /* libraries whose calls find no wrapper */
  uint64_t for_full_tables;  /* files, ids and requests without a place in a table */
  int parts;                 /* a module has found no memory for what it keeps */
  int has_traces;            /* which no journal has */
};
extern struct lost_state lost_state __attribute__((visibility("hidden")));

/* Without DARSHAN_ENABLE_NONMPI only MPI jobs leave anything.  A process that may
 * become a rank counts in memory of its own; until MPI_Init it is as if it did
 * not: no file, no line, and no log at its end. */
static inline int runtime_may_leave_files(void) {
  return darshan_config.nonmpi || mpi_state.phase != MPI_NOT_YET;
}

/* The phase, to change it. */
static inline uint32_t *runtime_phase_word(void) {
  return (uint32_t *)(uintptr_t)darshan_hot.phase_page;
}
static inline int runtime_is_recording(uint32_t phase) {
  return phase == RUNTIME_RECORDING || phase == RUNTIME_SHARED;
}

#endif
