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

struct one_job {           /* zeroed before its first use */
  struct job_world *world; /* the job's launch; set by the caller, like all up to `folder` */
  struct job_logs *logs;
  int keep_ranks; /* 1: does not reduce the records of shared files */
  int64_t end;    /* end of the job from an option, seconds since the epoch; 0: end of the logs */
  const char *output;          /* path of the log; NULL: a name is generated */
  const char *folder;          /* folder of the log, if its name is generated */
  struct rank_records records; /* of the rank that is read now */
  struct job_log *first;       /* log of the lowest rank */
  char command[ROW_NAME + 1];  /* command line of that rank; "": use the command line of its log */
  char exe[256];               /* its program's name without folders, for the log's name */
  struct job_host hosts[JOB_HOSTS_MOST];
  int num_hosts;
  int64_t around; /* number of processes that are not ranks; their I/O is only in the other logs */
  uint64_t begun_ns;             /* start of the merge, monotonic clock */
  struct darshan_config config;  /* settings from which the log's path is made */
  char final[DARSHAN_PATH_ROOM]; /* path of the log, once it is made */
};

/* Makes the log of one job, and sets job->final. Returns 0, or -1. Prints a message only if out of
 * memory; the caller reports other failures. */
int one_job_make(struct one_job *job);
void one_job_free(struct one_job *job);

struct job_options {  /* options of darshan-merge */
  const char *output; /* path of the log */
  const char *logs;   /* folder for one log per job; NULL: one log, in output */
  const char *job;    /* name of the only job to merge; NULL: all (only one without `logs`) */
  int keep_ranks;     /* 1: does not reduce the records of shared files */
  int remove;         /* 1: removes the logs after the merge */
  int print;          /* 1: prints the path of the new log on standard output */
  int64_t end;        /* end of the job, seconds since the epoch; 0: end of the logs */
};

/* Returns 1 if one of `count` paths is the log of a rank that a launcher started without MPI, or a
 * folder that contains such a log; otherwise 0. */
int merge_job_is_meant(char *const *paths, int count);
/* Makes one log of a job from the logs and journals at `paths`. Returns the exit status: 0, or 1
 * after a message. */
int merge_job(const struct job_options *options, char *const *paths, int count);

#endif
