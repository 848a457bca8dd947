/* Decides whether a run needs a log besides those of its MPI jobs. */
#ifndef DARSHAN_MERGE_NEEDS_LOG_H
#define DARSHAN_MERGE_NEEDS_LOG_H

#include "folder.h"

/* Returns 1 if the run needs a log, 0 if only launchers and ranks of jobs left parts. A run without
 * parts and jobs needs a log if it has processes at all. */
int run_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree);
/* Returns 1 if this process, which left a part after the run's log was made, needs a log; else
 * 0. */
int process_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree,
                           const struct run_process *process);

#endif
