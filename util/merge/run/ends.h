/* Decides which processes of a run failed. A nonzero status is often an answer (grep, test, diff),
 * or the parent handled it. A process failed if it caused the failure of the run, if a signal of a
 * fault ended it, or if neither an answer nor a successful ancestor explains its status. */
#ifndef DARSHAN_MERGE_ENDS_H
#define DARSHAN_MERGE_ENDS_H

#include "../../reader/darshan-read.h"
#include "processes.h"

enum { ENDS_NAMES = 4, ENDS_NAME = 256 };

/* The failed lookups of a failed process: the deepest process that ended the run, otherwise another
 * one. */
struct ends_missed {
  int weight; /* weight of that process; 0: none */
  int is_top;
  char program[RUN_PROGRAM];
  char names[ENDS_NAMES][ENDS_NAME]; /* last lookup first; "" ends the list */
};

/* Sets `failed` and `cause` of all processes. Needs all rows and parts. Returns 0, or -1 if out of
 * memory. */
int ends_judge(struct run_tree *tree, int top);

/* Takes the failed lookups from a part of a process. */
void ends_hear(struct ends_missed *missed, const struct run_tree *tree,
               const struct run_process *process, const struct darshan_info *info);
/* Appends the lookups to `used` bytes of metadata. Returns the new length. */
size_t ends_tell(const struct ends_missed *missed, char *out, size_t room, size_t used);
/* Returns 1 for a key of a part's metadata that the run's log has its own value of. */
int ends_is_key(const char *key);

#endif
