/* Makes the log of a run from its folder. If the run has more processes than a log has ranks, also
 * combines parts while the run continues: the parts of ended processes that will share a rank
 * become one part. So the number of parts stays limited. The log is the same as from the single
 * parts. */
#ifndef DARSHAN_MERGE_MERGE_RUN_H
#define DARSHAN_MERGE_MERGE_RUN_H

#include "folder.h"
#include "one-log.h"
#include "processes/ranks.h"

enum run_result { RUN_LOGGED = 0, RUN_FAILED = 1, RUN_NOTHING = 3 };

/* Makes the log of the run directory that the options name. Returns RUN_NOTHING if there is nothing
 * to merge, or if another process merges. */
enum run_result merge_run(const struct run_options *options);

/* Combines the parts of each rank, if it has enough. Needs a tree that was read completely and
 * dealt to ranks. */
void fold_ranks(struct run_folder *folder, struct run_tree *tree, const struct run_ranks *ranks);
/* Finishes what a killed process began; called before parts are read. Returns 0. Returns -1 if
 * parts whose records another part contains cannot be removed (folder->folded lists them, and they
 * are skipped), or if `folded` cannot be read now (folder->folded is NULL). */
int fold_resume(struct run_folder *folder);

#endif
