/* The folder of a run: its parts and files, the locks of the mergers, and its removal. */
#ifndef DARSHAN_MERGE_FOLDER_H
#define DARSHAN_MERGE_FOLDER_H

#include <limits.h>

#include "../../reader/darshan-read.h"
#include "processes/processes.h"

struct run_folder {
  char path[PATH_MAX];  /* absolute */
  int fd;               /* -1: not open */
  int packed;           /* the listed file of small parts, which may have been replaced; -1: none */
  int merging, folding; /* lock descriptors; -1: not held */
  int32_t top;          /* pid in its name; 0: `darshan run` makes the log */
  struct run_part *found; /* parts and journals, by start time */
  size_t count, room;
  char *folded; /* names of parts that another part holds (fold.c) */
  size_t folded_length;
  int has_taken; /* parts that a log has could not be removed: a later merger makes further logs */
};

enum folder_state { FOLDER_BAD = -1, FOLDER_OPEN, FOLDER_BUSY };

/* Opens the folder and takes the locks of a merger, or only the lock of a fold (folds 1); a merger
 * waits for a fold. Returns whether the folder is open, another process holds the lock or the
 * folder is gone (BUSY), or opening failed after a message (BAD). */
enum folder_state folder_open(struct run_folder *folder, const char *path, int folds);
/* Lists the names of parts and journals. Returns 0, or -1 on an error. */
int folder_list(struct run_folder *folder);
void folder_forget(struct run_folder *folder);
/* Writes the path of a part that is a file, "" if it is too long; out has PATH_MAX bytes. */
void folder_part_path(const struct run_folder *folder, const struct run_part *part, char *out);
/* Reads a part. Returns its log, which the caller frees; NULL with an error. */
darshan_log *folder_part_read(const struct run_folder *folder, const struct run_part *part,
                              struct darshan_error *error);
/* Writes the name of a part in the folder; out has NAME_MAX + 1 bytes. */
void folder_part_name(const struct run_part *part, char *out);
/* Returns 1 if the folder has a file of this name. */
int folder_has(const struct run_folder *folder, const char *name);
/* Writes a complete file under a name, or none. Returns 0 or -1. */
int folder_put(const struct run_folder *folder, const char *name, const char *bytes, size_t n);
/* Reads a whole file; the caller frees *text, which ends in NUL. Returns 1; 0 with NULL if the file
 * does not exist or was not written by a merger; -1 with errno if it cannot be read now. */
int folder_get(const struct run_folder *folder, const char *name, char **text, size_t *n);
/* Removes a file. If it is a link to a part in another folder, also removes that part. */
void folder_unlink(const struct run_folder *folder, const char *name);
/* Removes the parts and journals whose names are in a list of n bytes, each with its NUL. Returns
 * 0, or -1 if one of them is still there. */
int folder_drop_parts(struct run_folder *folder, const char *list, size_t n);
/* Called when `closed` exists: waits, for a second at most, until the processes that did not see it
 * have appended their parts. Returns 0, or -1 if one of them has not. */
int folder_settle(const struct run_folder *folder);
/* Removes the run's own files, and the folder if it is empty then. */
void folder_remove(struct run_folder *folder);
void folder_close(struct run_folder *folder);

/* Reads the rows, parts and journals of a run directory into an empty tree. Skips journals of live
 * processes and marks these as running. Removes a journal whose program has a part, unless keep is
 * set. Returns 0, or -1 after a message. */
int left_read(struct run_folder *folder, struct run_tree *tree, int keep);

#endif
