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

/* Registers the end of recording with libc, to run after all other exit handlers: at exit,
 * quick_exit, the return of main or the end of the last thread. Called at start, before any other
 * code registers. */
void last_arrange(void);

/* Ends recording, or lets libc end it after all destructors. Called by the destructor of this
 * library. */
void last_destructor(void);

/* Prints one line on stderr about a job that ends without MPI_Finalize, that the ranks' journals
 * are retained, unless no journal exists or another rank has printed it. The first rank that ends
 * prints it once for all, because launchers kill the other ranks as soon as a rank has ended.
 * subject: the beginning of the line, why the job ended. */
void last_word_say(const char *subject);

/* daemon(3) forks and ends the parent within libc, where no wrapper sees the end: daemon_begins is
 * called before it. daemon_became is called after it with its result: if that is an error,
 * recording continues. */
void daemon_begins(void);
void daemon_became(int result);

/* Handler of pthread_atfork in the parent.  Writes the log if daemon is about to end the
 * parent. */
void daemon_forked(void);

#endif
