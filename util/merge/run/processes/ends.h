/* Decides which processes of a run failed. A nonzero status is often a normal result (grep, test,
 * diff), or the parent handled it. A process failed in three cases. It caused the failure of the
 * run. A signal of a fault ended it. Or its status is neither a normal result nor handled by a
 * successful ancestor. */
#ifndef DARSHAN_MERGE_ENDS_H
#define DARSHAN_MERGE_ENDS_H

#include "../../metadata.h"
#include "processes.h"

/* The failed lookups (paths that did not exist) that best explain why a run failed. They belong to
 * the deepest process in the chain of processes that made the run fail, otherwise to another
 * process that failed or whose end is in no row of the event file. */
struct ends_missed {
  int weight; /* how well this process explains the failure; 0: no process is known */
  int is_top; /* 1: this process is the root process */
  char program[RUN_PROGRAM]; /* last program of the process */
  struct lookups lookups;
};

/* Sets `failed`, `cause` and `ended_unseen` of all processes in `tree`. Called after all rows are
 * read and ranks are assigned. top: index of the root process in the tree. Returns 0, or -1 if out
 * of memory. */
int ends_judge(struct run_tree *tree, int top);

/* Stores the failed lookups from a process's log in *missed, if they explain the failure of the run
 * better than the lookups stored before. Called after ends_judge. */
void ends_hear(struct ends_missed *missed, const struct run_tree *tree,
               const struct run_process *process, const darshan_log *log);
/* Appends the failed lookups to the metadata in `out`, and the program whose lookups they are
 * unless it is the root process. used: length of the metadata; room: size of `out`, both in bytes.
 * Returns the new length. */
size_t ends_tell(const struct ends_missed *missed, char *out, size_t room, size_t used);

#endif
