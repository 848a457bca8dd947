/* Declares the functions that make one log of a job from the logs of its ranks, which a launcher
 * started without MPI. Records have the launcher's rank numbers. */
#ifndef DARSHAN_MERGE_ONE_JOB_H
#define DARSHAN_MERGE_ONE_JOB_H

#include "../../../runtime/job/config/config.h"
#include "../../../runtime/names/path-buffers.h"
#include "rank-records.h"
#include <stdint.h>

enum { JOB_HOSTS_MOST = 1024 }; /* hosts above this number are not counted */

struct job_host {
  char name[LAUNCH_HOST];
  double start; /* start of the host's first rank, seconds after the job's start */
};

struct one_job { /* zeroed before its first use */
  struct job_world *world;
  struct job_logs *logs;
  int keep_ranks;
  int64_t end; /* end of the job from an option, seconds since the epoch; 0: end of the logs */
  const char *output; /* path of the log; NULL: a name is generated */
  const char *folder; /* folder of the log, if its name is generated */
  struct rank_records records;
  struct job_log *first;      /* log of the lowest rank */
  char command[ROW_NAME + 1]; /* command line of that rank; "": use the command line of its log */
  char exe[256];
  struct job_host hosts[JOB_HOSTS_MOST];
  int num_hosts;
  int64_t around; /* number of processes that are not ranks; their I/O is only in the other logs */
  uint64_t begun_ns; /* start of the merge, monotonic clock */
  struct darshan_config config;
  char final[DARSHAN_PATH_ROOM]; /* path of the log */
};

/* Makes the log of one job. Returns 0, or -1; prints a message only if memory ran out. */
int one_job_make(struct one_job *job);
void one_job_free(struct one_job *job);

struct job_options {
  const char *output; /* path of the log */
  const char *logs;   /* folder for one log per job; NULL: one log, in output */
  const char *job;    /* name of the only job to merge; NULL: all (only one without `logs`) */
  int keep_ranks, remove, print;
  int64_t end; /* end of the job, seconds since the epoch; 0: end of the logs */
};

/* Returns 1 if a path is the log of a rank that a launcher started without MPI, or a folder that
 * contains such a log; otherwise 0. */
int merge_job_is_meant(char *const *paths, int count);
/* Makes one log of a job from the logs and journals at `paths`. Returns the exit status: 0, or 1
 * after a message. */
int merge_job(const struct job_options *options, char *const *paths, int count);

#endif
