/* Declares the records of one part in memory. All records are in memory, or reading fails. */
#ifndef DARSHAN_MERGE_PART_H
#define DARSHAN_MERGE_PART_H

#include "../../../reader/darshan-read.h"
#include "bytes.h"

enum { PART_MODULES = 128 };

struct part_module {
  const struct darshan_module *module;
  int partial;       /* 1: the runtime dropped records of this module */
  size_t at, length; /* offset and length in part.records of its records, in their newest layout */
};

struct part { /* zeroed before its first use; reused for the next part */
  struct bytes records;
  struct part_module modules[PART_MODULES];
  int count; /* number of modules */
};

/* Convert a time, or the start or end in a job record, to nanoseconds since the epoch. Return 0 if
 * the time is missing or impossible. */
static inline int64_t part_ns(int64_t seconds, int64_t nanoseconds) {
  enum { LAST = INT32_MAX, BILLION = 1000000000 };
  int is_time = seconds > 0 && seconds < 2 * (int64_t)LAST && nanoseconds >= 0;
  return is_time && nanoseconds < BILLION ? seconds * BILLION + nanoseconds : 0;
}
static inline int64_t part_start_ns(const struct darshan_job *job) {
  return part_ns(job->start_time_sec, job->start_time_nsec);
}
static inline int64_t part_end_ns(const struct darshan_job *job) {
  return part_ns(job->end_time_sec, job->end_time_nsec);
}

/* Reads the records of all modules that this release knows. Returns 0. Returns -1 with an error;
 * the part then has no modules. */
int part_read(struct part *part, darshan_log *log, struct darshan_error *error);
/* Returns the size of the record at `record` in bytes; 0 for kinds of records that no part of a run
 * has (MDHIM, APMPI). */
size_t part_record_size(const struct part_module *of, const char *record);
/* Returns the latest timestamp in the records of counters, in seconds after the program's start; 0
 * if there is none, or if it is 4e9 or later and so impossible. */
double part_last(const struct part *part);
void part_free(struct part *part);

#endif
