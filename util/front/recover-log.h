/* From what a run, a process or a job left to its log. */
#ifndef DARSHAN_FRONT_RECOVER_LOG_H
#define DARSHAN_FRONT_RECOVER_LOG_H

#include "alive.h"
#include "orphans.h"

struct recovery {
  const char *output; /* folder for logs, NULL: the user's */
  int dry_run, quiet; /* quiet: says nothing */
  int64_t min_age_ns; /* younger ones are left alone */
  struct alive alive;
  size_t made, failed;
  char folder[PATH_MAX]; /* where the last log went */
};

/* One line says what was done.  Whoever lives, or may, is left alone. */
void recover_orphan(struct recovery *recovery, const struct orphan *orphan);

#endif
