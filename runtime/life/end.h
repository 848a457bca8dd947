/* End of recording in a process, and around an exec. */
#ifndef DARSHAN_END_H
#define DARSHAN_END_H

#include "../job/runtime.h"

/* Writes the log.  Afterwards every wrapper only forwards.  A rank of an MPI job that ends
 * without MPI_Finalize retains its journal instead. */
void runtime_finish(void);
/* Ends recording if the application's SYS_exit_group, or SYS_exit of the only thread, is about
 * to end the process.  Called before the call with its number. */
void runtime_ends_by(long number);

/* Writes the log of all ranks in MPI_Finalize.  Every rank that records must call it. */
struct rank_comm;
void runtime_finish_ranks(struct rank_comm *comm);
/* Deletes the records and the journal of a rank that must not record. */
void runtime_drop_records(void);

/* Returns 1 if the end of this process would write a log or report that there is none. */
int runtime_has_something_to_say(void);

/* runtime_before_exec is called before an exec: writes the log and removes the journal.
 * runtime_exec_failed is called after a failed exec: removes that log and restores the journal.
 * is_watched: the file of the next program suggests that it will be instrumented; envp: its
 * environment; hand_on: stores the names of inherited files for it. */
void runtime_before_exec(int is_watched, char *const *envp, void (*hand_on)(void));
void runtime_exec_failed(void);
/* Like runtime_before_exec, but called before a call that may end the process in another way
 * (daemon). */
void runtime_pause(void);

#endif
