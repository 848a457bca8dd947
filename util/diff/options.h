/* What counts as a difference. */
#ifndef DARSHAN_DIFF_OPTIONS_H
#define DARSHAN_DIFF_OPTIONS_H

#include <stdbool.h>

enum { DIFF_IGNORED_MAX = 64 };

struct diff_options {
  const char *paths[2];
  double relative; /* part of the larger of two values by which they may differ */
  double seconds;  /* by which times may differ */
  const char *ignored[DIFF_IGNORED_MAX]; /* patterns of counters' names */
  int num_ignored;
  bool job, annex, quiet;
};

#endif
