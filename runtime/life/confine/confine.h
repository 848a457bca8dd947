/* Calls by which the application confines its process: filters of system calls, and changes of the
 * meaning of paths. */
#ifndef DARSHAN_CONFINE_H
#define DARSHAN_CONFINE_H

/* Calls by which the application installs a seccomp filter, or makes reading the processor's
 * counter a fault. The runtime prepares before such a call.  Behind a filter it makes no system
 * call (sys-gate.h), and the journal holds the records. */

enum {
  FILTER_CALLS = 1,
  FILTER_COUNTER = 2,
  FILTER_DISPATCH = 4 /* not by a filter: syscall user dispatch */
};

/* Returns, as FILTER_ flags, what the call syscall(number, a, b, ...) would forbid; 0: nothing.
 * prctl(a, b) has number SYS_prctl. */
int filter_is_asked(long number, long a, long b);
/* Returns 1 if a call that installs a filter has succeeded, by its number, flags and result; else
 * 0. */
int filter_is_there(long number, long flags, long result);

/* filter_coming is called before the call that installs a filter, in any thread. It prepares the
 * runtime and shuts the gate. forbids: result of filter_is_asked. filter_answered is called after
 * that call; is_there: result of filter_is_there. */
void filter_coming(int forbids);
void filter_find_functions(void);
void filter_answered(int forbids, int is_there);

/* Lets the runtime make the system calls that the setting DARSHAN_FILTER_CALLS names, although it
 * inherited a filter. */
void filter_look(void);
/* Allows all calls under an inherited filter.  Called after MPI_Init, which has made files, memory
 * and sockets under that filter. */
void filter_trust(void);

/* Calls of the application that change the meaning of paths (chroot, setns and the like). */

/* Opens the folders of log and journal, so that the runtime can reach them after the call
 * (records/after-chroot.h). Called before each such call. */
void root_is_changing(void);
/* Called after each such call. result: 0 if it succeeded; from then on the runtime reaches its
 * files through the open folders. */
void root_changed(int result);

#endif
