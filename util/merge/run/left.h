/* What the processes of a run left: rows, parts, and journals of the dead. */
#ifndef DARSHAN_MERGE_LEFT_H
#define DARSHAN_MERGE_LEFT_H

#include "folder.h"

/* All of it into the tree, which is empty.  What is of processes that live stays where
 * it is; they are marked as such.  A journal of what became a part goes, but not if the
 * folder is kept.  0, or -1 after a line. */
int left_read(struct run_folder *folder, struct run_tree *tree, int keep);

#endif
