/* However a merger ends, what it merged is in exactly one log: it says in the folder what
 * it is about to do, and the next one finds out whether it was done.
 *
 *   partial   the path under which a log is being written
 *   merged    the parts that go into it
 *   naming    the path that it is about to get, and which file it is
 *   closed    a log of the run has its name
 *
 * While there is `naming`, and that file has that name, the parts in `merged` are in it. */
#ifndef DARSHAN_MERGE_CLOSING_H
#define DARSHAN_MERGE_CLOSING_H

#include "bytes.h"
#include "folder.h"

/* Finishes what a merger did not that was killed.  1: its log is there, and log has its
 * path (PATH_MAX); 0: nothing was done, or nothing that matters; -1: nobody can say now. */
int closing_resume(struct run_folder *folder, char *log);
struct closing {
  struct run_folder *folder;
  struct bytes parts; /* their names */
};

/* A log is about to be made of what a process left, or all (NULL). */
void closing_begin(struct closing *closing, struct run_folder *folder, const struct run_tree *tree,
                   const struct run_process *process);
/* made 1: it has its name, and the parts go. */
void closing_end(struct closing *closing, int made);

#endif
