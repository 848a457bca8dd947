/* What the kernel has accounted to the processes of a run (USAGE): each byte in the record of one
 * of them.  A program tells what its process has had since its birth, programs before it and
 * children that it waited for included, where the kernel keeps no more than that. */
#ifndef DARSHAN_MERGE_USAGE_H
#define DARSHAN_MERGE_USAGE_H

#include "combine.h"
#include "processes.h"
#include "ranks.h"

/* What a part says of its process; parts in the order of their programs. */
void usage_hear(struct run_tree *tree, struct run_process *process, darshan_log *log);
/* All parts of the rank are combined, all of the tree were heard: its record and the name of
 * that, of which each rank has its own.  0, or -1: no memory. */
int usage_name(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
               int number);
int usage_settle(struct combined *combined, const struct run_tree *tree,
                 const struct run_rank *rank, int number);

#endif
