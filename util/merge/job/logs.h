/* The logs of processes that a launcher started side by side, and the facts about these processes
 * in each log. */
#ifndef DARSHAN_MERGE_JOB_LOGS_H
#define DARSHAN_MERGE_JOB_LOGS_H

#include <sys/types.h>

#include "../metadata.h"

/* A rank of a log: one process, or several. */
struct job_unit {
  int64_t launch; /* 0: no launcher started it */
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
  int is_journal; /* of a process that was killed or still runs */
  int is_child;   /* its parent process has a log, too */
  int is_whole;   /* it has no PROCESS records: all of it is one process */
  int left_out;   /* 1: unreadable */
  struct launch launch;
  struct dropped dropped;
  struct job_unit *units; /* by rank in this log */
  int64_t num_units;
};

struct job_logs { /* zeroed before its first use */
  struct job_log *logs;
  size_t count, room;
  size_t unreadable; /* skipped files of folders */
  char damaged[256]; /* names of the first damaged logs */
};

/* Adds a log, or the logs of a folder that name a launcher. Skips unreadable logs of a folder with
 * a message. Returns 0, or -1 after a message. */
int job_logs_add(struct job_logs *logs, const char *path);
/* Returns 1 if the log, or a log in the folder, names a launcher. Returns 0 for a folder with
 * journals that name no launcher, because these belong to an MPI job. */
int job_logs_is_one(const char *path);
void job_logs_free(struct job_logs *logs);
/* Marks a log as skipped, after a message. */
void job_log_leave_out(struct job_logs *logs, struct job_log *log, const char *why);

#endif
