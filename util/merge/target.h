/* Where the merged log goes: to a new file, or through a target that is no
 * regular file (a pipe, a device), which is written to and never replaced. */
#ifndef DARSHAN_MERGE_TARGET_H
#define DARSHAN_MERGE_TARGET_H

#include <limits.h>

struct target {
  char path[PATH_MAX];   /* where the log is made */
  char folder[PATH_MAX]; /* of ours, for the way to what is no regular file; "": none */
  const char *through;   /* what that is, "-" for standard output; NULL: none */
};

/* 0, or -1 after a line that says why not: the file is there, or is a terminal. */
int target_open(struct target *target, const char *name);
/* The log is at path (made) or nothing is: brings it where it belongs.  0 or -1. */
int target_close(struct target *target, int made);

#endif
