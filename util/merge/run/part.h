/* What one program left, in memory: all of it or nothing. */
#ifndef DARSHAN_MERGE_PART_H
#define DARSHAN_MERGE_PART_H

#include "../../reader/darshan-read.h"
#include "bytes.h"

enum { PART_MODULES = 128 };

struct part_module {
  const struct darshan_module *module;
  int partial;
  size_t at, length; /* of its records, in the newest layout */
};

struct part { /* zeroed before its first use; used again for the next */
  struct bytes records;
  struct part_module modules[PART_MODULES];
  int count;
};

/* Nanoseconds since the epoch; 0: none, or none that can be. */
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

/* All records of a log.  0, or -1 with an error. */
int part_read(struct part *part, darshan_log *log, struct darshan_error *error);
/* Of a record of a module that was read; 0: of a kind that is not told apart. */
size_t part_record_size(const struct part_module *of, const char *record);
/* The last moment that a record knows, in seconds after the program's start. */
double part_last(const struct part *part);
void part_free(struct part *part);

#endif
