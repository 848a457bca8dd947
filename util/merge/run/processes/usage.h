/* Resource usage of a run's processes, from the kernel (USAGE), so that each byte is in the record
 * of one rank only. The kernel's counters of a program include earlier programs of its process and
 * the children that it waited for; this file subtracts them. */
#ifndef DARSHAN_MERGE_USAGE_H
#define DARSHAN_MERGE_USAGE_H

#include "../records/combine.h"
#include "processes.h"
#include "ranks.h"

/* Takes the USAGE record of a part. Called for the parts of a process in program order. */
void usage_hear(struct run_tree *tree, struct run_process *process, darshan_log *log);
/* Called when all parts of the tree have been read and the parts of the rank are combined. They add
 * the name of the rank's USAGE record, and the record. Both return 0, or -1 if out of memory. */
int usage_name(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
               int number);
int usage_settle(struct combined *combined, const struct run_tree *tree,
                 const struct run_rank *rank, int number);

#endif
