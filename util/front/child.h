/* Starts the application and waits for it. */
#ifndef DARSHAN_FRONT_CHILD_H
#define DARSHAN_FRONT_CHILD_H

#include <stdint.h>
#include <sys/types.h>

#include "../../runtime/format/run.h"

struct child_end {
  pid_t pid;
  int status;       /* as waitpid gives it */
  int exec_error;   /* errno if the program could not be started, else 0 */
  double wall_time; /* seconds from start to end */
  int64_t begun_ns; /* wall clock, since the epoch */
  int64_t cpu_ns;
  struct run_usage before, usage; /* of calls: what this process had by then */
};

/* Runs command (found by PATH) with this process's signals, descriptors,
 * terminal and process group; `prepare` is called in the new process before
 * the program starts.  Signals that someone sends to this process alone go on
 * to the application; those of the terminal reach it anyway.
 * 0, or -1 with errno set if there is no process to be had. */
int child_run(char *const *command, void (*prepare)(const void *context), const void *context,
              struct child_end *end);

/* Ends this process as the application ended: with its exit status, or by the
 * same signal (without a second core file).  Does not return. */
void child_end_like(const struct child_end *end) __attribute__((noreturn));

#endif
