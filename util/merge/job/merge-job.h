/* Makes one log of a job whose ranks a launcher started without MPI, from the ranks' logs. */
#ifndef DARSHAN_MERGE_JOB_H
#define DARSHAN_MERGE_JOB_H

#include <stdint.h>

struct job_options {
  const char *output; /* the log */
  const char *logs;   /* folder for one log per job; NULL: one log, in output */
  const char *job;    /* name of the job; NULL: there is only one */
  int keep_ranks, remove, print;
  int64_t end; /* end of the job, seconds since the epoch; 0: that of the logs */
};

/* Returns 1 if a path is the log of such a rank, or a folder with one. */
int merge_job_is_meant(char *const *paths, int count);
/* Returns the exit status: 0, or 1 after a message. */
int merge_job(const struct job_options *options, char *const *paths, int count);

#endif
