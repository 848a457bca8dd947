/* Calls by which the application confines its process: filters of system calls, and changes of the
 * meaning of paths. */
#ifndef DARSHAN_CONFINE_H
#define DARSHAN_CONFINE_H

/* Bits for what a call of the application forbids: it installs a seccomp filter, or makes reading
 * the processor's counter a fault. The runtime prepares before such a call. Behind a filter the
 * runtime makes no system calls (sys-gate.h), and the journal holds the records. */

enum {
  FILTER_CALLS = 1,   /* system calls */
  FILTER_COUNTER = 2, /* reading the processor's counter */
  FILTER_DISPATCH = 4 /* forbidden by syscall user dispatch, not by a filter */
};

/* Returns, as a sum of FILTER_ flags, what the call syscall(number, a, b, ...) would forbid; 0 if
 * nothing. prctl(a, b) has the number SYS_prctl. */
int filter_is_asked(long number, long a, long b);
/* After a call for which filter_is_asked was not 0: returns 1 if `result` says that the filter is
 * installed, otherwise 0. flags: those of seccomp; unused for prctl. */
int filter_is_there(long number, long flags, long result);

/* filter_coming is called before the call that installs a filter, in any thread. It prepares the
 * runtime, and shuts the gate if `forbids` has FILTER_CALLS. forbids: result of filter_is_asked.
 * filter_find_functions looks up the real functions of POSIX and stdio calls. filter_answered is
 * called after the call, and reopens the gate if there is no filter; is_there: result of
 * filter_is_there. */
void filter_coming(int forbids);
void filter_find_functions(void);
void filter_answered(int forbids, int is_there);

/* Allows the runtime to make the system calls that the setting DARSHAN_FILTER_CALLS names, although
 * it inherited a filter. Does nothing if the runtime may call getpid. */
void filter_look(void);
/* Allows all calls under an inherited filter. Called after MPI_Init: the MPI library has made
 * files, memory and sockets under that filter. */
void filter_trust(void);

/* Calls of the application that change the meaning of paths (chroot, setns and the like). */

/* Makes the journal and the folder of the log, and opens the folders of log and journal, so that
 * the runtime can reach them after the root directory has changed (records/after-chroot.h). Called
 * before each call that may change it. */
void root_is_changing(void);
/* Called after each call that may change the root directory. result: the call's result, 0 if it
 * succeeded; then the runtime reaches its files through the open folders. */
void root_changed(int result);

#endif
