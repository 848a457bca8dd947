/* What a run under the front leaves to the user: one log, those of its MPI jobs, and
 * what still runs. */
#ifndef DARSHAN_FRONT_RUN_LOG_H
#define DARSHAN_FRONT_RUN_LOG_H

#include "child.h"
#include "places.h"

struct run_outcome {
  struct path_list logs; /* in the order in which they are told of */
  int has_own;           /* one of them is that of the run */
  size_t jobs;           /* so many are of MPI jobs; others were written by themselves */
  int jobs_first;
  struct path_list journals; /* of what ended unseen, or still runs */
  size_t running;            /* processes that have outlived the run */
  char later[PATH_MAX];      /* where these will write their logs */
  char kept[PATH_MAX];       /* no log could be made: what is left is here */
};

/* To be called when the program has ended; command: what was asked for. */
void run_log_make(struct run_outcome *outcome, struct places *places, const struct child_end *end,
                  char *const *command);
void run_outcome_free(struct run_outcome *outcome);

/* One line of it; 0: there is nothing to be told. */
int run_outcome_text(const struct run_outcome *outcome, char *out, size_t room);

#endif
