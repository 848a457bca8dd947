/* Decides which processes of a run failed. A nonzero status is often a normal result (grep, test,
 * diff), or the parent handled it. A process failed in three cases. It caused the failure of the
 * run. A signal of a fault ended it. Or its status is neither a normal result nor handled by a
 * successful ancestor. */
#ifndef DARSHAN_MERGE_ENDS_H
#define DARSHAN_MERGE_ENDS_H

#include "../../metadata.h"
#include "processes.h"

/* The failed lookups that best explain why a run failed. They belong to the deepest process that
 * ended the run, otherwise to another process that failed or whose end is in no row. */
struct ends_missed {
  int weight; /* how well this process explains the failure; 0: no process is known */
  int is_top; /* 1: this process is the root process */
  char program[RUN_PROGRAM];
  struct lookups lookups;
};

/* Sets `failed`, `cause` and `ended_unseen` of all processes. Called after all rows are read and
 * ranks are assigned. top: index of the root process. Returns 0, or -1 if out of memory. */
int ends_judge(struct run_tree *tree, int top);

/* Stores the failed lookups from a process's log, if they explain the failure better than the
 * lookups stored before. */
void ends_hear(struct ends_missed *missed, const struct run_tree *tree,
               const struct run_process *process, const darshan_log *log);
/* Appends the failed lookups to the metadata. used, room: length and size of `out` in bytes.
 * Returns the new length. */
size_t ends_tell(const struct ends_missed *missed, char *out, size_t room, size_t used);

#endif
