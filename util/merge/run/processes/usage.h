/* Declares functions that compute the resource usage of a run's processes from the kernel's
 * counters (USAGE), so that each byte is in the record of only one rank. The kernel's counters of a
 * program include earlier programs of its process and the children for which it waited. These
 * functions subtract both. */
#ifndef DARSHAN_MERGE_USAGE_H
#define DARSHAN_MERGE_USAGE_H

#include "../records/combine.h"
#include "processes.h"
#include "ranks.h"

/* Adds the USAGE record of a part to the process, which is in the tree. log: the part's log.
 * Ignores a log without such a record. Called for the parts of a process in program order. */
void usage_hear(struct run_tree *tree, struct run_process *process, darshan_log *log);
/* Add the name of the rank's USAGE record (usage_name), and the record itself (usage_settle). The
 * parts of the rank must be combined, and for usage_settle the USAGE records of all processes must
 * have been added. number: index of the rank. Both return 0, or -1 if out of memory. */
int usage_name(struct combined *combined, const struct run_tree *tree, const struct run_rank *rank,
               int number);
int usage_settle(struct combined *combined, const struct run_tree *tree,
                 const struct run_rank *rank, int number);

#endif
