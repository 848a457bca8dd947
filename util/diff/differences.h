/* Compares two logs: their job records, metadata and mount tables, and their records module by
 * module. */
#ifndef DARSHAN_DIFF_DIFFERENCES_H
#define DARSHAN_DIFF_DIFFERENCES_H

#include "darshan-read.h"
#include "output.h"
#include <stdbool.h>

enum { DIFF_IGNORED_MAX = 64 };

struct diff_options {                    /* options that define a difference */
  const char *paths[2];                  /* of the two logs, for messages */
  double relative;                       /* tolerance, as a fraction of the larger value; 0: none */
  double seconds;                        /* tolerance for times; 0: none */
  const char *ignored[DIFF_IGNORED_MAX]; /* patterns of fnmatch for names of counters */
  int num_ignored;
  bool job;   /* also compare the fields of the job */
  bool annex; /* also compare the modules of the annex */
  bool quiet; /* print nothing, and stop at the first difference */
};

/* Compares all records of two logs, and prints the rows that differ. Sets *differ to true if a row
 * differs, and does not change it otherwise. Returns 0, or -1 if records cannot be read or if out
 * of memory; mostly a message says so. */
int differences_print(const struct diff_options *options, darshan_log *const logs[2],
                      struct output *out, bool *differ);

/* Prints the fields of the job records, metadata and mount tables that differ. Returns the number
 * of differences; 0 if all are equal. */
int job_fields_compare(const struct diff_options *options, const struct darshan_info *const info[2],
                       struct output *out);

#endif
