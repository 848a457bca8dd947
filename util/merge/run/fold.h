/* Combines parts while the run goes on, if it has more processes than a log has ranks: the parts of
 * ended processes that will share a rank become one part. So the number of parts stays limited. The
 * log is the same as from the single parts. */
#ifndef DARSHAN_MERGE_FOLD_H
#define DARSHAN_MERGE_FOLD_H

#include "folder.h"
#include "processes/ranks.h"

/* Combines the parts of each rank, if it has enough. Needs a tree that was read completely and
 * dealt to ranks. */
void fold_ranks(struct run_folder *folder, struct run_tree *tree, const struct run_ranks *ranks);
/* Finishes what a killed process began; called before parts are read. Returns 0. Returns -1 if
 * parts that another part holds cannot be removed (folder->folded lists them, and they are
 * skipped), or if `folded` cannot be read now (folder->folded is NULL). */
int fold_resume(struct run_folder *folder);

#endif
