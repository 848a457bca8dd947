/* The state of the runtime in this process, all zero before start.  Wrappers only forward while
 * darshan_hot.fd_limit is 0. */
#ifndef DARSHAN_RUNTIME_H
#define DARSHAN_RUNTIME_H

#include "../counting/clock.h"
#include "../door/door.h"
#include "../intercept/guard.h"
#include "../intercept/memory.h"
#include "../memory/scratch.h"
#include "../names/descriptors.h"
#include "../names/folder.h"
#include "../records/store.h"
#include "config/config.h"
#include "log-format.h"
#include "mpi-state.h"
#include "text/jobtext.h"
#include "text/logname.h"
#include "text/messages.h"

/* The ids of this process, and the processes that share its memory. */
struct process_state {
  pid_t pid;
  pid_t fork_parent; /* pid of the parent; 0: not a forked child */
  int64_t first_pid; /* pid of the root process, which is the job id if no variable has one */
  uint32_t sharers;  /* children that may share this memory (life/clone.c) */
  int failed_with;   /* argument of exit; 0: exit(0), or unknown */
  uint32_t apart;    /* children that share this memory and have their own descriptors */
};
extern struct process_state process_state __attribute__((visibility("hidden")));

/* State that is stored before an exec and that a failed exec restores. */
struct exec_state {
  uint32_t phase_before; /* enum runtime_phase before the exec; 0: no exec is under way */
  int thread;            /* id of the thread that calls exec */
  const char *frame;     /* frame address of the call of exec */
  int log_written;       /* 1: log_path is a finished log */
};
extern struct exec_state exec_state __attribute__((visibility("hidden")));

/* Dropped events, and other losses that the records do not show. */
struct lost_state {
  uint64_t in_handlers;      /* events in handlers that interrupted an update */
  uint64_t in_shared_memory; /* events of other processes that share this memory */
  uint64_t without_memory;   /* events for which no stack was available */
  uint64_t by_deepbind;      /* libraries whose calls bypass the wrappers */
  uint64_t for_full_tables;  /* files, ids and requests without a slot in a table */
  int parts;                 /* 1: a module has no memory for part of its data */
  int has_traces;            /* 1: the process has traces, which a journal cannot hold */
};
extern struct lost_state lost_state __attribute__((visibility("hidden")));

/* Returns 1 if this process may write files and messages, otherwise 0. Without
 * DARSHAN_ENABLE_NONMPI only MPI jobs may. A process that may become a rank records in private
 * memory until MPI_Init. */
static inline int runtime_may_leave_files(void) {
  return darshan_config.nonmpi || mpi_state.phase != MPI_NOT_YET;
}

/* Returns a writable pointer to the phase. */
static inline uint32_t *runtime_phase_word(void) {
  return (uint32_t *)(uintptr_t)darshan_hot.phase_page;
}
static inline int runtime_is_recording(uint32_t phase) {
  return phase == RUNTIME_RECORDING || phase == RUNTIME_SHARED;
}

/* same-memory.c distinguishes other processes that run in this process's memory: vfork children and
 * children of clone with CLONE_VM. They must not change any table. */

/* Returns 1 in the process whose events the tables hold, 0 in a process that shares its memory.
 * Makes system calls, so it is called when a process ends, not for each event. */
int process_is_ours(void);

/* Notes in a vfork child that it is about to call exec or _exit (leaves is 1), or that the exec
 * failed (0). Has no effect in the parent. If a filter forbids getpid, the parent, which runs next
 * in this thread, knows from this note that the child is gone. */
void fd_vfork_leaves(int leaves);
/* Notes in a vfork child that it has installed a seccomp filter (caged is 1), or that installing it
 * failed (0). In the parent this has no effect: the filter applies to the child alone. */
void fd_vfork_caged(int caged);

/* Returns the values from which the names of this process's log and journal are made (identity.c).
 * */
struct darshan_log_identity runtime_identity(void); /* of the log */
struct darshan_log_identity runtime_journal_identity(void);
/* Adds this process as the owner of the records to the job's metadata, for readers of the
 * journal.  A log does not have this line (format/owner.h). */
void runtime_add_owner(struct darshan_job *job);

#endif
