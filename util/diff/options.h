/* Options: what counts as a difference. */
#ifndef DARSHAN_DIFF_OPTIONS_H
#define DARSHAN_DIFF_OPTIONS_H

#include <stdbool.h>

enum { DIFF_IGNORED_MAX = 64 };

struct diff_options {
  const char *paths[2];
  double relative;                       /* tolerance relative to the larger value */
  double seconds;                        /* tolerance of times */
  const char *ignored[DIFF_IGNORED_MAX]; /* patterns of counter names */
  int num_ignored;
  bool job, annex, quiet;
};

#endif
