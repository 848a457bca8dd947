/* Declares the run directory ("folder" in the code): its parts and files, the locks of the mergers,
 * and its removal. */
#ifndef DARSHAN_MERGE_FOLDER_H
#define DARSHAN_MERGE_FOLDER_H

#include <limits.h>

#include "../../reader/darshan-read.h"
#include "processes/processes.h"

struct run_folder {
  char path[PATH_MAX]; /* absolute */
  int fd;              /* descriptor of the folder; -1: not open */
  int packed; /* descriptor of the file of small parts from which `found` was made, even if the file
                 was replaced since; -1: no such file */
  int merging, folding;   /* descriptors of the files with these names, which are locked; -1: not */
  int32_t top;            /* pid from the folder's name; 0: the name has none (`darshan run`) */
  struct run_part *found; /* parts and journals, by start time; set by folder_list */
  size_t count, room;     /* their number; capacity of the list */
  char *folded; /* name of a part, then names of the parts whose records it contains, each with its
                   NUL (fold.c); NULL: none */
  size_t folded_length; /* bytes of `folded` */
  int has_taken; /* 1: parts that are in a log could not be removed, so a later merger makes further
                    logs */
};

enum folder_state { FOLDER_BAD = -1, FOLDER_OPEN, FOLDER_BUSY };

/* Opens the folder at `path` and acquires the locks: with folds 0 those of a merger, which waits
 * for a fold (a process that combines many parts, merge-run.h); with folds 1 only the lock of a
 * fold. Returns FOLDER_OPEN; FOLDER_BUSY if another process holds the lock or the folder does not
 * exist; FOLDER_BAD after a message. Only after FOLDER_OPEN, the caller calls folder_close. */
enum folder_state folder_open(struct run_folder *folder, const char *path, int folds);
/* Lists the parts and journals of the folder in folder->found, instead of an earlier list. Returns
 * 0, or -1 on an error; a message says so if the folder cannot be read. */
int folder_list(struct run_folder *folder);
/* Empties folder->found, and frees the names of journals in it. */
void folder_forget(struct run_folder *folder);
/* Writes the path of a part that is a file into `out` (PATH_MAX bytes); "" if the path is too
 * long. */
void folder_part_path(const struct run_folder *folder, const struct run_part *part, char *out);
/* Reads a part. Returns its log, which the caller frees; NULL with an error. */
darshan_log *folder_part_read(const struct run_folder *folder, const struct run_part *part,
                              struct darshan_error *error);
/* Writes the name of a part's file into `out` (NAME_MAX + 1 bytes). */
void folder_part_name(const struct run_part *part, char *out);
/* Returns 1 if the folder contains a file of this name, otherwise 0. */
int folder_has(const struct run_folder *folder, const char *name);
/* Writes a file of n bytes under a name, and replaces an existing file in one step. A failure
 * leaves no incomplete file. Returns 0 or -1. */
int folder_put(const struct run_folder *folder, const char *name, const char *bytes, size_t n);
/* Reads a whole file; the caller frees *text, which ends in NUL. Returns 1 if it was read. Returns
 * 0 with NULL if the file does not exist or cannot be a merger's: it is a link, a folder or larger
 * than 256 MiB. Returns -1 with errno if it cannot be read now. */
int folder_get(const struct run_folder *folder, const char *name, char **text, size_t *n);
/* Removes a file. If the file is a link to a part in another folder, also removes that part.
 * Ignores errors. */
void folder_unlink(const struct run_folder *folder, const char *name);
/* Removes the parts and journals whose names are in a list of n bytes, each with its NUL. Ignores
 * names with a slash. Returns 0, or -1 if one of them may still exist. */
int folder_drop_parts(struct run_folder *folder, const char *list, size_t n);
/* Called when `closed` exists: waits, for a second at most, until the processes that did not see it
 * have appended their parts. Returns 0, or -1 if one of them has not. */
int folder_settle(const struct run_folder *folder);
/* Removes the files that processes and mergers made, and the folder if it is empty then. Ignores
 * errors. */
void folder_remove(struct run_folder *folder);
/* Releases the locks and frees the memory; the struct must not be used again. */
void folder_close(struct run_folder *folder);

/* Reads the rows, parts and journals of a run directory into an empty tree. Skips the journals of
 * MPI ranks. Skips journals of processes that may be alive, and marks these processes as running.
 * keep 0: removes a journal whose program also has a part; 1: removes nothing. Returns 0, or -1
 * after a message. */
int left_read(struct run_folder *folder, struct run_tree *tree, int keep);

#endif
