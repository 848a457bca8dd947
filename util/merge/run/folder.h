/* The folder of a run: what lies in it, who may merge it, and what becomes of it. */
#ifndef DARSHAN_MERGE_FOLDER_H
#define DARSHAN_MERGE_FOLDER_H

#include <limits.h>

#include "processes.h"

struct run_folder {
  char path[PATH_MAX];    /* absolute */
  int fd;                 /* -1: not open */
  int merging, folding;   /* locks; -1: not held */
  int32_t top;            /* pid in its name; 0: the front's */
  struct run_part *found; /* parts and journals, by start */
  size_t count, room;
  char *folded; /* names of parts that count no more (fold.c) */
  size_t folded_length;
};

enum folder_state { FOLDER_BAD = -1, FOLDER_OPEN, FOLDER_BUSY };

/* Opens it for this merger alone, or who folds parts; a merger waits for one who does.
 * BUSY: another one has it, or it is gone.  BAD: one line was said. */
enum folder_state folder_open(struct run_folder *folder, const char *path, int folds);
/* Lists parts, and journals with what their job records say.  0 or -1. */
int folder_list(struct run_folder *folder);
void folder_forget(struct run_folder *folder);
/* The path of a part; room: PATH_MAX. */
void folder_part_path(const struct run_folder *folder, const struct run_part *part, char *out);
/* Name of a part in the folder; room: NAME_MAX + 1. */
void folder_part_name(const struct run_part *part, char *out);
/* Is there a file of this name? */
int folder_has(const struct run_folder *folder, const char *name);
/* Writes a file whole under a name, or not at all.  0 or -1. */
int folder_put(const struct run_folder *folder, const char *name, const char *bytes, size_t n);
/* text: all bytes of a file and a NUL, to be freed.  0 and NULL: it is not there, or nothing
 * that a merger wrote; -1: it is, and cannot be read now, so nobody knows what it says. */
int folder_get(const struct run_folder *folder, const char *name, char **text, size_t *n);
/* Removes it; of a part that lies elsewhere, both, or only what the link leads to. */
void folder_unlink_elsewhere(const struct run_folder *folder, const char *name);
void folder_unlink(const struct run_folder *folder, const char *name);
/* Removes what is the run's own, and the folder, if nothing else is in it. */
void folder_remove(struct run_folder *folder);
void folder_close(struct run_folder *folder);

#endif
