/* A process in a run: it appends rows to the event file of the run directory and leaves its part
 * there (runtime/format/run.h). The process that ends last starts the merger. No process waits for
 * another process of the run. If each process has its own log, these functions do nothing. */
#ifndef DARSHAN_LIFE_RUN_H
#define DARSHAN_LIFE_RUN_H

#include <stddef.h>
#include <sys/types.h>

#include "../exec/unwatched.h"

/* Joins the run that the environment names: writes a START row. Called at start. The root process
 * joins here only if an earlier program of this process made the run directory. */
void run_started(void);

/* Called before this process starts a second process, or executes another program. Makes the run
 * directory if necessary, and joins the run. If that is impossible, each process writes its own
 * log. */
void run_grows(void);
/* Appends an event row which tells the merger that the records of this process cannot have a
 * journal. Does nothing if the process has not joined a run. */
void run_note_unkept(void);
/* run_forking is called in the parent before a fork, run_fork_failed after a failed fork, and
 * run_has_forked with the fork's result, which it ignores in the child (0). */
void run_forking(void);
void run_fork_failed(void);
void run_has_forked(pid_t child);
/* Joins the run as a separate process, if the parent had joined it. Called in the child of a
 * fork. */
void run_forked(void);
/* Called in a vfork child before its exec. The child shares its parent's memory, so this function
 * changes only state that is also true for the parent. */
void run_vforked(void);
/* Writes a row about the exec to the event file. Called before this process executes an
 * instrumented program; before any other program, the process calls run_left. */
void run_exec(void);
/* Notes that the next program of this process will leave no records, or incomplete ones
 * (unwatched.h). is_vforked: 1 if a vfork child will run the program. For a vfork child or a Go
 * program, appends the row to the event file at once; otherwise run_left appends it. */
void run_becomes_unwatched(struct run_event *row, int is_vforked);
/* Called after posix_spawn. Appends the row of the child that it started, and a row if the child's
 * program will leave no records (unwatched.h). */
void run_spawned(pid_t child, char *const *envp);
/* run_waits is called before a wait and reads the resource usage of the children so far. run_reaped
 * is called after a wait that returned a child, and appends a row about the child if it has ended;
 * status: as wait stored it. */
void run_waits(struct run_waiting *waiting);
void run_reaped(pid_t child, int status, const struct run_waiting *waiting);
/* Appends a row about a child that was waited for, as run_reaped does. code, status: si_code and
 * si_status of waitid's siginfo_t. */
void run_told(pid_t child, int code, int status, const struct run_waiting *waiting);

/* Returns 1, and stores the part's path, if the records of this process must become a part of its
 * run's log; else 0. */
int run_takes_part(void);
/* Returns 1 if this process cannot reach the run directory and its part there (other rights,
 * another root), but all its records are in its journal there, so that the run's log will contain
 * them. Otherwise returns 0. */
int run_has_journal(void);
/* Called after the part was written, or could not be written (result < 0). Returns 1 if the process
 * has nothing more to write. Returns 0, and removes the part, if the run was closed in the
 * meantime; the process must then write its own log. */
int run_part_stays(int result);
/* Appends a row to the event file which says that this process is a rank of an MPI job, whose log
 * is not part of the run's log. Called in each rank after the ranks have written the job's log, or
 * failed to. */
void run_note_job(void);

/* Remembers the argument of exit for the process's END row. */
void run_note_status(int status);
/* Called when the process ends, after its log or part is written.  Appends the END row and starts
 * the merger if no other process of the run lives. */
void run_left(void);

/* Called at start, while the loader may be called.  Remembers the path of this library, because
 * the merger is looked up relative to it. */
void run_merge_prepare(void);
/* Returns 1 if the merger is installed and no filter or changed root prevents its start, otherwise
 * 0. */
int run_merge_is_possible(void);
/* Returns 1 if another process of the run lives or may live, otherwise 0. */
int run_others_live(void);
/* Starts the merger and waits for it; kills it if it takes too long. Returns 0 if there is a log,
 * else -1. No process that this call creates outlives it, and no wait() of the application returns
 * such a process. */
int run_merge(void);
/* Starts the merger to combine parts in the run directory (--fold). Waits for it at most two
 * seconds, like run_merge. */
void run_fold(void);

/* The next functions handle the names that the processes of a run use for inherited files. The
 * kernel's name of an inherited descriptor has symbolic links resolved; the process that opened it
 * may have used another name. A process that starts a program stores such a name in the run
 * directory, and the program looks it up once per descriptor, so that one file has one name in the
 * log. The key of a name is the kernel's name and the file's device and inode, so a name is not
 * used for another file. The first name of a file is the run's. A process that uses another name
 * stores it for itself and its children. */

struct fd_facts;

/* Replaces the kernel's name in `name` (DARSHAN_PATH_ROOM bytes) by the run's name, if the run has
 * one. Returns the length of the name. */
size_t run_name_heard(char *name, size_t length, const struct fd_facts *facts);

/* Stores the name by which this process opened fd, for programs that inherit fd. */
void run_name_tell(int fd, const char *name, size_t length);

#endif
