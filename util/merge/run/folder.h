/* The folder of a run: its parts and files, the locks of the mergers, and its removal. */
#ifndef DARSHAN_MERGE_FOLDER_H
#define DARSHAN_MERGE_FOLDER_H

#include <limits.h>

#include "processes/processes.h"

struct run_folder {
  char path[PATH_MAX];    /* absolute */
  int fd;                 /* -1: not open */
  int merging, folding;   /* lock descriptors; -1: not held */
  int32_t top;            /* pid in its name; 0: `darshan run` makes the log */
  struct run_part *found; /* parts and journals, by start time */
  size_t count, room;
  char *folded; /* names of parts that another part holds (fold.c) */
  size_t folded_length;
};

enum folder_state { FOLDER_BAD = -1, FOLDER_OPEN, FOLDER_BUSY };

/* Opens the folder and takes the locks of a merger, or only that of a fold (folds 1); a merger
 * waits for a fold. Returns whether the folder is open, another process holds the lock or the
 * folder is gone (BUSY), or opening failed after a message (BAD). */
enum folder_state folder_open(struct run_folder *folder, const char *path, int folds);
/* Lists the names of parts and journals. Returns 0, or -1 on an error. */
int folder_list(struct run_folder *folder);
void folder_forget(struct run_folder *folder);
/* Writes the path of a part, "" if it is too long; out has PATH_MAX bytes. */
void folder_part_path(const struct run_folder *folder, const struct run_part *part, char *out);
/* Writes the name of a part in the folder; out has NAME_MAX + 1 bytes. */
void folder_part_name(const struct run_part *part, char *out);
/* Returns 1 if the folder has a file of this name. */
int folder_has(const struct run_folder *folder, const char *name);
/* Writes a complete file under a name, or none. Returns 0 or -1. */
int folder_put(const struct run_folder *folder, const char *name, const char *bytes, size_t n);
/* Reads a whole file; the caller frees *text, which ends in NUL. Returns 1; 0 with NULL if the file
 * does not exist or is not one that a merger wrote; -1 with errno if it cannot be read now. */
int folder_get(const struct run_folder *folder, const char *name, char **text, size_t *n);
/* Remove a part that may be a link to a file elsewhere: folder_unlink_elsewhere removes only that
 * file, folder_unlink the link, too. */
void folder_unlink_elsewhere(const struct run_folder *folder, const char *name);
void folder_unlink(const struct run_folder *folder, const char *name);
/* Removes the run's own files, and the folder if it is empty then. */
void folder_remove(struct run_folder *folder);
void folder_close(struct run_folder *folder);

#endif
