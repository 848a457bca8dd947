/* Declares the logs of processes that a launcher started in parallel, and the data about these
 * processes in each log. */
#ifndef DARSHAN_MERGE_JOB_LOGS_H
#define DARSHAN_MERGE_JOB_LOGS_H

#include <sys/types.h>

#include "../metadata.h"

/* One rank of a log: one or several processes. */
struct job_unit {
  int64_t launch;     /* struct launch.id; 0: no launcher gave it a (plausible) rank */
  int64_t rank, size; /* rank that the launcher assigned; number of its ranks, 0: unknown */
  int64_t pid;        /* of its first process */
  int is_there;       /* 1: the rank has a PROCESS record */
};

struct job_log {
  char *path;
  dev_t device; /* with inode: recognizes a log that is named twice */
  ino_t inode;
  struct darshan_job job;
  int64_t start_ns, end_ns; /* of its processes, since the epoch */
  int is_journal;           /* 1: journal of a process that was killed or still runs */
  int is_child;             /* 1: log of a forked child; its parent has a log of its own */
  int is_whole;             /* 1: the log has no PROCESS records, so it describes one process */
  int left_out;             /* 1: unreadable, so it is skipped */
  struct launch launch;     /* what the metadata say about the launch */
  struct dropped dropped;   /* dropped events, from the metadata */
  struct job_unit *units;   /* indexed by the rank in this log */
  int64_t num_units;
};

struct job_logs { /* zeroed before its first use */
  struct job_log *logs;
  size_t count, room;
  size_t unreadable; /* number of logs that were skipped because they cannot be read */
  char damaged[256]; /* names of the first of them, separated by commas */
};

/* Adds a log, or those logs of a folder that name a launcher. Skips unreadable logs of a folder
 * with a message, and logs that are already in the list. Returns 0; -1 after a message if the
 * folder or the log cannot be read, or if the log names no launcher. */
int job_logs_add(struct job_logs *logs, const char *path);
/* Returns 1 if the log at `path`, or a log in the folder at `path`, names a launcher; otherwise 0.
 * Also returns 0 for a folder with journals that name no launcher, because such journals belong to
 * an MPI job. Prints nothing. */
int job_logs_is_one(const char *path);
void job_logs_free(struct job_logs *logs);
/* Marks a log as skipped and prints why; prints nothing if it is already marked. */
void job_log_leave_out(struct job_logs *logs, struct job_log *log, const char *why);

#endif
