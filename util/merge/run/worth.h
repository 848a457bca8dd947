/* Is there anything to be told of a run besides its MPI jobs, whose logs are their own? */
#ifndef DARSHAN_MERGE_WORTH_H
#define DARSHAN_MERGE_WORTH_H

#include "folder.h"

/* 0: what launchers and ranks did alone, or what is lost. */
int run_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree);
/* The same of one of its processes. */
int process_is_worth_a_log(const struct run_folder *folder, const struct run_tree *tree,
                           const struct run_process *process);

#endif
