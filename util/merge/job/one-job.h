/* One log of a job whose ranks left logs of their own: records have the launcher's ranks. */
#ifndef DARSHAN_MERGE_ONE_JOB_H
#define DARSHAN_MERGE_ONE_JOB_H

#include "../../../runtime/job/config.h"
#include "../../../runtime/names/path-buffers.h"
#include "rank-records.h"

enum { JOB_HOSTS_MOST = 1024 }; /* that are told apart */

struct job_host {
  char name[LAUNCH_HOST];
  double start; /* of its first process that is a rank, seconds after the job's */
};

struct one_job { /* zeroed before its first use */
  struct job_world *world;
  struct job_logs *logs;
  int keep_ranks;
  int64_t end;        /* seconds since the epoch, as asked for; 0: what the logs say */
  const char *output; /* the log; NULL: a name is made */
  const char *folder; /* ... in this folder */
  struct rank_records records;
  struct job_log *first;      /* of the lowest rank */
  char command[ROW_NAME + 1]; /* of that rank; "": as the log says */
  char exe[256];
  struct job_host hosts[JOB_HOSTS_MOST];
  int num_hosts;
  int64_t around;    /* processes that no rank is, and whose I/O is in the other logs alone */
  uint64_t begun_ns; /* when the log was begun */
  struct darshan_config config;
  char final[DARSHAN_PATH_ROOM]; /* the log */
};

/* 0, or -1 after a line. */
int one_job_make(struct one_job *job);
void one_job_free(struct one_job *job);

#endif
