/* A merger may be killed at any moment, but each part must be in exactly one log. The merger
 * therefore writes notes, small files in the run directory, about what it is about to do. The next
 * merger reads them and determines whether it was done.
 *
 *   partial   the path under which a log is being written
 *   merged    the parts that go into it
 *   naming    the path that the log is about to get, with its device and inode
 *   closed    the run has its log, or needs none
 *
 * If the file at the path in `naming` has that device and inode, it holds the parts in `merged`. */
#ifndef DARSHAN_MERGE_COMMIT_H
#define DARSHAN_MERGE_COMMIT_H

#include "folder.h"
#include "records/bytes.h"

/* Finishes the work of a killed merger. Returns 1 if the killed merger had finished its log: stores
 * the log's path in `log` (PATH_MAX bytes), makes `closed` and removes the log's parts. Returns 0
 * if there is no such log, and removes an unfinished one. Returns -1 if this cannot be determined
 * now. */
int closing_resume(struct run_folder *folder, char *log);

/* The notes that closing_begin wrote, until closing_end. */
struct closing {
  struct run_folder *folder;
  struct bytes parts; /* names of the parts, each with its NUL */
};

/* Writes notes into the folder before a log is made: which parts the log will contain. process: the
 * only process of the log, or NULL for all processes. */
void closing_begin(struct closing *closing, struct run_folder *folder, const struct run_tree *tree,
                   const struct run_process *process);
/* Ends what closing_begin began, after the attempt to make the log. made 1: the log has its name,
 * so makes `closed` and removes the log's parts and the notes. If a part cannot be removed, keeps
 * the notes and sets folder->has_taken. made 0: removes only the notes. */
void closing_end(struct closing *closing, int made);

#endif
