/* One log of the ranks that a launcher started without MPI, of the logs that they left. */
#ifndef DARSHAN_MERGE_JOB_H
#define DARSHAN_MERGE_JOB_H

#include <stdint.h>

struct job_options {
  const char *output; /* the log */
  const char *logs;   /* a folder: a log of each job goes there; NULL: one log, to output */
  const char *job;    /* which one; NULL: the only one */
  int keep_ranks, remove, print;
  int64_t end; /* of the job, seconds since the epoch; 0: as the logs say */
};

/* Is any of these a log of such a rank, or a folder with some? */
int merge_job_is_meant(char *const *paths, int count);
/* Exit status: 0, or 1 after a line. */
int merge_job(const struct job_options *options, char *const *paths, int count);

#endif
