/* Declares the files that the merger writes. */
#ifndef DARSHAN_MERGE_TARGET_H
#define DARSHAN_MERGE_TARGET_H

#include <limits.h>

/* The destination of the merged log: a new file, or an existing pipe or device, which is written to
 * and never replaced. */

struct target {
  char path[PATH_MAX];   /* path at which the log is made */
  char folder[PATH_MAX]; /* temporary folder, if `through` is set; otherwise "" */
  const char *
      through; /* destination that is a pipe or device, "-" for standard output; NULL: a new file */
};

/* Sets the path at which the log is made; for a pipe, a device or standard output, makes a
 * temporary folder. name: the destination, which must stay valid; "-" for standard output. Returns
 * 0. Returns -1 after a message if the destination is an existing file or folder, if standard
 * output is a terminal, or if no temporary folder can be made. */
int target_open(struct target *target, const char *name);
/* made: 1 if the log was made. Then copies it to the destination, if that is a pipe, a device or
 * standard output. Removes the temporary folder. Returns 0; -1 after a message if the copy failed;
 * -1 without a message if made is 0. */
int target_close(struct target *target, int made);

/* Functions that are called before the merger creates the file at `path`, and before it renames
 * `from` to `to`; NULL: none. For the log of a run they write notes, with which a later merger can
 * finish (run/commit.h). */

struct inside_watch {
  void *context;
  void (*creates)(void *context, const char *path);
  void (*names)(void *context, const char *from, const char *to);
};
extern struct inside_watch inside_watch;

#endif
