/* Declares the functions that make the log of a run from its folder. If the run has more processes
 * than a log has ranks, they also combine parts while the run continues, which is called a fold.
 * The parts of ended processes that will share a rank become one part, so the number of parts stays
 * limited. The resulting log is the same as from the single parts. */
#ifndef DARSHAN_MERGE_MERGE_RUN_H
#define DARSHAN_MERGE_MERGE_RUN_H

#include "folder.h"
#include "one-log.h"
#include "processes/ranks.h"

enum run_result { RUN_LOGGED = 0, RUN_FAILED = 1, RUN_NOTHING = 3 }; /* exit statuses */

/* Makes the log of the run directory that the options name. Returns RUN_LOGGED, or RUN_FAILED after
 * a message. Returns RUN_NOTHING if no log is needed, if the directory does not exist, if another
 * process merges, or if the options only ask for a fold. */
enum run_result merge_run(const struct run_options *options);

/* Combines the parts of ended processes of each rank that several processes share, if there are at
 * least 64 of these parts. tree, ranks: the tree must be complete, and its processes assigned to
 * ranks. */
void fold_ranks(struct run_folder *folder, struct run_tree *tree, const struct run_ranks *ranks);
/* Finishes a fold that a killed process began; called before parts are read. Returns 0. Returns -1
 * if parts whose records another part contains cannot be removed: then folder->folded lists these
 * parts, and they are skipped. Also returns -1 if `folded` cannot be read now: then folder->folded
 * is NULL. */
int fold_resume(struct run_folder *folder);

#endif
