/* Makes the log of a run after `darshan run`, and reports the results to the user: the log of the
 * run, the logs of its MPI jobs, and processes that still run. */
#ifndef DARSHAN_FRONT_RUN_LOG_H
#define DARSHAN_FRONT_RUN_LOG_H

#include "../paths.h"
#include "../process/child.h"

struct run_outcome {
  struct path_list logs; /* in the order of the message */
  int has_own;           /* 1: one of these logs is the run's own */
  size_t jobs;           /* number of logs of MPI jobs; the rest are logs of single processes */
  int jobs_first;        /* 1: the user started a launcher, so the logs of jobs are named first */
  struct path_list journals; /* those of processes that were killed or still run */
  size_t running;            /* number of processes that still run */
  char later[PATH_MAX];      /* folder in which these processes will write their logs */
  char kept[PATH_MAX];       /* if no log could be made: path of the run directory */
};

/* Makes the log of a run whose root process has ended, removes the run's folders as far as they are
 * empty, and fills *outcome, which run_outcome_free frees. end: how the root process ended.
 * command: its arguments, NULL at the end. */
void run_log_make(struct run_outcome *outcome, struct places *places, const struct child_end *end,
                  char *const *command);
void run_outcome_free(struct run_outcome *outcome);

/* Writes one line about the logs, without newline. room: bytes at `out`. Returns 1, or 0 with an
 * empty line if there are no logs, journals or running processes. */
int run_outcome_text(const struct run_outcome *outcome, char *out, size_t room);

#endif
