/* Makes one log of a job from the logs of its ranks. Records have the launcher's rank numbers. */
#ifndef DARSHAN_MERGE_ONE_JOB_H
#define DARSHAN_MERGE_ONE_JOB_H

#include "../../../runtime/job/config/config.h"
#include "../../../runtime/names/path-buffers.h"
#include "rank-records.h"

enum { JOB_HOSTS_MOST = 1024 }; /* further hosts are not counted */

struct job_host {
  char name[LAUNCH_HOST];
  double start; /* of its first rank, seconds after the job's start */
};

struct one_job { /* zeroed before its first use */
  struct job_world *world;
  struct job_logs *logs;
  int keep_ranks;
  int64_t end;        /* option, seconds since the epoch; 0: that of the logs */
  const char *output; /* the log; NULL: a name is made */
  const char *folder; /* ... in this folder */
  struct rank_records records;
  struct job_log *first;      /* of the lowest rank */
  char command[ROW_NAME + 1]; /* of that rank; "": that of its log */
  char exe[256];
  struct job_host hosts[JOB_HOSTS_MOST];
  int num_hosts;
  int64_t around;    /* processes that are not ranks; only the other logs have their I/O */
  uint64_t begun_ns; /* start of the merge, monotonic clock */
  struct darshan_config config;
  char final[DARSHAN_PATH_ROOM]; /* path of the log */
};

/* Makes the log of one job. Returns 0, or -1 after a message. */
int one_job_make(struct one_job *job);
void one_job_free(struct one_job *job);

#endif
