/* Declares the files that the merger writes. */
#ifndef DARSHAN_MERGE_TARGET_H
#define DARSHAN_MERGE_TARGET_H

#include <limits.h>

/* The destination of the merged log: a new file, or an existing pipe or device, which is written to
 * and never replaced. */

struct target {
  char path[PATH_MAX];   /* path at which the log is made */
  char folder[PATH_MAX]; /* temporary folder, if the destination is not a regular file; otherwise ""
                          */
  const char *
      through; /* destination that is a pipe or device, "-" for standard output; NULL: a new file */
};

/* Sets the path at which the log is made. name: the destination. Returns 0, or -1 after a message,
 * for example if the file exists or is a terminal. */
int target_open(struct target *target, const char *name);
/* Copies the log to the destination if that is a pipe or device and the log was made. Removes the
 * temporary folder. Returns 0, or -1 after a message. */
int target_close(struct target *target, int made);

/* The merger calls these functions before it creates or renames a file. Their notes let a later
 * merger finish. */

struct inside_watch {
  void *context;
  void (*creates)(void *context, const char *path);
  void (*names)(void *context, const char *from, const char *to);
};
extern struct inside_watch inside_watch;

#endif
