/* What one program left, in memory: all of it or nothing. */
#ifndef DARSHAN_MERGE_PART_H
#define DARSHAN_MERGE_PART_H

#include "../../reader/darshan-util.h"
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

static inline int64_t part_start_ns(const struct darshan_job *job) {
  return job->start_time_sec * 1000000000 + job->start_time_nsec;
}
/* 0: it has no end. */
static inline int64_t part_end_ns(const struct darshan_job *job) {
  return job->end_time_sec ? job->end_time_sec * 1000000000 + job->end_time_nsec : 0;
}

/* All records of a log.  0, or -1 with an error. */
int part_read(struct part *part, darshan_log *log, struct darshan_error *error);
/* The last moment that a record knows, in seconds after the program's start. */
double part_last(const struct part *part);
void part_free(struct part *part);

#endif
