/* Starts the application and waits for it. */
#ifndef DARSHAN_FRONT_CHILD_H
#define DARSHAN_FRONT_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "../../../runtime/format/run.h"

struct child_end { /* how the application ended */
  pid_t pid;
  int status;       /* as waitpid stores it */
  int exec_error;   /* errno if the program could not be started, else 0 */
  double wall_time; /* run time in seconds */
  int64_t begun_ns; /* its start, wall clock, nanoseconds since the epoch */
  int64_t cpu_ns;   /* processor time of the application and of children that it waited for */
  struct run_usage before, usage; /* counters of this process and of children for which it waited,
                                     at the start and at the end of the application */
};

/* Starts a command (its arguments, NULL at the end; searched in PATH) with this process's signals,
 * descriptors, terminal and process group, waits for its end and describes that in *end. Calls
 * `prepare(context)` in the new process before exec; it may change the environment. Forwards
 * signals that are sent to this process alone; the terminal's signals reach the application anyway.
 * These signals and SIGCHLD stay blocked in this process. Returns 0, also if exec failed
 * (end->exec_error); -1 with errno set if no process can be started. */
int child_run(char *const *command, void (*prepare)(const void *context), const void *context,
              struct child_end *end);

/* Ends this process as the application ended: with its exit status, or by the same signal (without
 * another core file). */
void child_end_like(const struct child_end *end) __attribute__((noreturn));

#endif
