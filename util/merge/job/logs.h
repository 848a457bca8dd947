/* The logs of processes that a launcher started side by side, and what each says of them. */
#ifndef DARSHAN_MERGE_JOB_LOGS_H
#define DARSHAN_MERGE_JOB_LOGS_H

#include <sys/types.h>

#include "../dropped.h"
#include "../launch.h"

/* What is a rank in a log: a process, or several. */
struct job_unit {
  int64_t launch; /* 0: no launcher said anything of it */
  int64_t rank, size;
  int64_t pid;
  int is_there; /* it has a PROCESS record */
};

struct job_log {
  char *path;
  dev_t device;
  ino_t inode;
  struct darshan_job job;
  int64_t start_ns, end_ns;
  int is_journal; /* of a process that was killed, or lives */
  int is_child;   /* of a process that has a log, too */
  int is_whole;   /* one process, without PROCESS */
  int left_out;   /* 1: a part of it cannot be read */
  struct launch launch;
  struct dropped dropped;
  struct job_unit *units; /* by rank in this log */
  int64_t num_units;
};

struct job_logs { /* zeroed before its first use */
  struct job_log *logs;
  size_t count, room;
  size_t unreadable; /* in folders */
  char damaged[256]; /* the first of them */
};

/* Adds a log, or those in a folder that tell of a launcher; what cannot be read there is
 * left out with a line.  -1: one line was said. */
int job_logs_add(struct job_logs *logs, const char *path);
/* Does a path, or anything in a folder, tell of a launcher?  A folder with journals that do
 * not is one of an MPI job. */
int job_logs_is_one(const char *path);
void job_logs_free(struct job_logs *logs);
/* One that turned out to be damaged. */
void job_log_leave_out(struct job_logs *logs, struct job_log *log, const char *why);

#endif
