/* Compares two logs: their job records, metadata and mount tables, and their records module by
 * module. */
#ifndef DARSHAN_DIFF_DIFFERENCES_H
#define DARSHAN_DIFF_DIFFERENCES_H

#include "darshan-read.h"
#include "output.h"
#include <stdbool.h>

enum { DIFF_IGNORED_MAX = 64 };

struct diff_options { /* options that define a difference */
  const char *paths[2];
  double relative;                       /* tolerance, as a fraction of the larger value */
  double seconds;                        /* tolerance for times */
  const char *ignored[DIFF_IGNORED_MAX]; /* patterns for names of counters */
  int num_ignored;
  bool job, annex, quiet;
};

/* Compares all records, and prints the rows that differ; then also sets *differ. Returns 0. Returns
 * -1 if data cannot be read, which a message then tells, or if memory is exhausted. */
int differences_print(const struct diff_options *options, darshan_log *const logs[2],
                      struct output *out, bool *differ);

/* Prints the fields of the job records, metadata and mount tables that differ. Returns their
 * number. */
int job_fields_compare(const struct diff_options *options, const struct darshan_info *const info[2],
                       struct output *out);

#endif
