/* The files that the merger writes. */
#ifndef DARSHAN_MERGE_TARGET_H
#define DARSHAN_MERGE_TARGET_H

#include <limits.h>

/* The destination of the merged log: a new file, or an existing pipe or device, which is written to
 * and never replaced. */

struct target {
  char path[PATH_MAX];   /* where the log is made */
  char folder[PATH_MAX]; /* temporary folder, if the destination is not a regular file; "": none */
  const char *through;   /* that destination, "-" for standard output; NULL: a new file */
};

/* Determines the path at which the log is made, for the destination `name`. Returns 0, or -1 after
 * a message, for example if the file exists or is a terminal. */
int target_open(struct target *target, const char *name);
/* If the destination is a pipe or device and the log was made, copies the log to it. Removes the
 * temporary folder. Returns 0, or -1 after a message. */
int target_close(struct target *target, int made);

/* Callbacks before the merger creates or renames a file. They let a later merger finish. */

struct inside_watch {
  void *context;
  void (*creates)(void *context, const char *path);
  void (*names)(void *context, const char *from, const char *to);
};
extern struct inside_watch inside_watch;

#endif
