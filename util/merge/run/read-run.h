/* Reads the files of a run directory: rows, parts, and journals of processes that died. */
#ifndef DARSHAN_MERGE_READ_RUN_H
#define DARSHAN_MERGE_READ_RUN_H

#include "folder.h"

/* Reads the rows, parts and journals of a run directory into an empty tree. Skips journals of live
 * processes and marks these as running. Removes a journal whose program has a part, unless keep is
 * set. Returns 0, or -1 after a message. */
int left_read(struct run_folder *folder, struct run_tree *tree, int keep);

#endif
