/* A run of more processes than a log has ranks: what those have left that will share one is
 * made one part of, while the run goes on, so that parts do not grow without an end.  In the
 * log it is what the parts would have been. */
#ifndef DARSHAN_MERGE_FOLD_H
#define DARSHAN_MERGE_FOLD_H

#include "folder.h"
#include "ranks.h"

/* Of a tree of which all was read, as it will be dealt to ranks. */
void fold_ranks(struct run_folder *folder, struct run_tree *tree, const struct run_ranks *ranks);
/* Finishes what somebody did not who was killed: before anything is read.  0, or -1: parts
 * that are in another one cannot be removed, and are passed by (folder->folded), or nobody can
 * say now which these are. */
int fold_resume(struct run_folder *folder);

#endif
