/* Which processes of a run failed.  A status but 0 is often an answer (grep, test, diff), or its
 * parent coped with it: what failed is what ended the run, and what a signal of a fault ended. */
#ifndef DARSHAN_MERGE_ENDS_H
#define DARSHAN_MERGE_ENDS_H

#include "../../reader/darshan-read.h"
#include "processes.h"

enum { ENDS_NAMES = 4, ENDS_NAME = 256 };

/* What a failed process had looked for and did not find: the deepest of those that ended the run,
 * else another. */
struct ends_missed {
  int weight; /* of who said it; 0: nobody did */
  int is_top;
  char program[RUN_PROGRAM];
  char names[ENDS_NAMES][ENDS_NAME]; /* the last one first; "" ends them */
};

/* Sets `failed` and `cause` of all processes, when all that is known of them is known. 0, or
 * -1: no memory. */
int ends_judge(struct run_tree *tree, int top);

/* What a part of a process says. */
void ends_hear(struct ends_missed *missed, const struct run_tree *tree,
               const struct run_process *process, const struct darshan_info *info);
/* Metadata of it behind `used` bytes of out; returns how many there are then. */
size_t ends_tell(const struct ends_missed *missed, char *out, size_t room, size_t used);
/* Whether a key of a part's metadata is told anew of the run. */
int ends_is_key(const char *key);

#endif
