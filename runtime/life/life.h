/* Start and end of recording in a process, and its continuation in a forked child, after a longjmp
 * out of a signal handler, and around an exec. */
#ifndef DARSHAN_LIFE_H
#define DARSHAN_LIFE_H

#include <stdint.h>

#include "../job/runtime.h"

/* Reads the settings and the run, and switches recording on if this process must be instrumented.
 * Called by the first constructor. */
void runtime_start(int argc, char **argv, char **envp);

/* Called after an executable has registered its statically linked libraries. Starts recording if
 * MPI is one of them, because the process may become a rank. */
void runtime_meet_program(void);

/* Called for the first event. Makes the memory for records, and the journal if the process may
 * write files. Returns 0 if the process records, else -1. */
int runtime_begin_recording(void);
/* Notes that there will be no log for lack of memory; the message is printed later. */
void runtime_note_no_memory(void);

/* Called in MPI_Init, when mpi_state knows the job. Starts recording; a process that already
 * records becomes a rank. If RANK_EXCLUDE has the rank, drops its records instead. */
void runtime_start_rank(void);

/* Fills in the job record. with_mounts: 1 to include the mount table, which takes longest to read
 * and serves only to find the mount point of a file. */
void runtime_describe_job(int with_mounts);

/* Returns the start of recording in nanoseconds since the epoch, or the current time if the process
 * does not record. */
int64_t runtime_start_ns(void);

/* Handlers of pthread_atfork: before the fork, and in the child. */
void runtime_forking(void);
void runtime_forked(void);
/* Called in a forked child: resets the state of the parent. The child then records for itself,
 * unless a seccomp filter of the application forbids system calls (sys-gate.h), or the parent was a
 * rank and DARSHAN_ENABLE_NONMPI is not set. */
void runtime_become_child(void);

/* Releases the locks and the state of the frames that a jump of this thread abandons. Called before
 * the jump. target: the stack pointer of the frame in which the thread continues. */
void runtime_jumps(const char *target);

/* Writes the log of the process or its part of the run's log. Afterwards every wrapper only
 * forwards. The journal stays instead if a rank of a job of several ranks ends without
 * MPI_Finalize, or if a filter forbids system calls. Called when the process ends; does nothing in
 * a process that shares the memory of another. */
void runtime_finish(void);
/* Called before the application's call of SYS_exit_group or SYS_exit with that number. Ends
 * recording if the call ends the process; SYS_exit ends it if this is the only thread. */
void runtime_ends_by(long number);

/* Writes the log of all ranks in MPI_Finalize. Every rank of the communicator must call it, also a
 * rank without records. */
struct rank_comm;
void runtime_finish_ranks(struct rank_comm *comm);
/* Deletes the records and the journal of a rank that must not record. */
void runtime_drop_records(void);

/* Returns 1 if the process, when it ends, may write a log or report why there is none. Otherwise
 * returns 0. */
int runtime_has_something_to_say(void);

/* runtime_before_exec is called before an exec: writes the log and removes the journal.
 * runtime_exec_failed is called after a failed exec: removes that log and restores the journal.
 * is_watched: 1 if the next program will probably be instrumented. envp: its environment. hand_on:
 * stores the names of inherited files for it. */
void runtime_before_exec(int is_watched, char *const *envp, void (*hand_on)(void));
void runtime_exec_failed(void);
/* Writes the log as runtime_before_exec does. Called before a call that may end the process in
 * another way (daemon). */
void runtime_pause(void);

/* Registers the end of recording with libc, so that it runs after all other exit handlers: at exit,
 * quick_exit, the return of main or the end of the last thread. In a static program it does this
 * only for quick_exit (last_destructor does the rest). Called at start, before any other code
 * registers a handler. */
void last_arrange(void);

/* Called by the destructor of this library. Does nothing if libc has accepted the handler of
 * last_arrange. In a static program, makes libc end recording after all destructors. Ends recording
 * at once if libc accepts no handler. */
void last_destructor(void);

/* Prints one line on stderr: the job ends without MPI_Finalize, and the journals of its ranks
 * remain. Prints nothing if there is no journal, or if another rank has printed the line. The first
 * rank that ends prints it for all ranks, because launchers kill the other ranks as soon as a rank
 * has ended. subject: begin of the line, with the reason for the end. */
void last_word_say(const char *subject);

/* daemon(3) forks and ends the parent within libc, where no wrapper sees the end. daemon_begins is
 * called before daemon, and daemon_became after it with its result. If the result is an error,
 * recording continues. */
void daemon_begins(void);
void daemon_became(int result);

/* Handler of pthread_atfork in the parent.  Writes the log if daemon is about to end the
 * parent. */
void daemon_forked(void);

#endif
