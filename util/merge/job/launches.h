/* Declares the functions that group logs by the launch that started their processes. */
#ifndef DARSHAN_MERGE_JOB_LAUNCHES_H
#define DARSHAN_MERGE_JOB_LAUNCHES_H

#include "logs.h"

struct job_world {
  int64_t launch, size; /* size: number of ranks; 0: unknown */
  int64_t jobid;        /* job number of the scheduler; 0: unknown */
  char launcher[LAUNCH_NAME], text[LAUNCH_TEXT];
  char name[LAUNCH_TEXT + 32]; /* unique name of the launch */
  struct job_log **logs;       /* sorted by start */
  size_t num_logs, room_logs;
  int64_t *ranks; /* ranks with logs, ascending */
  size_t num_ranks;
  int64_t start_ns, end_ns;
};

struct job_worlds { /* zeroed before its first use */
  struct job_world *worlds;
  size_t count, room;
};

/* Finds the launches and assigns each log to them. Returns 0. Returns -1 if out of memory, or after
 * a message if logs of two launches cannot be distinguished. */
int job_worlds_find(struct job_worlds *worlds, struct job_logs *logs);
/* Converts a rank of a log to the rank that the launcher assigned. Returns -1 if the rank does not
 * belong to this launch. */
int64_t job_world_rank(const struct job_world *world, const struct job_log *log, int64_t rank);
/* Returns the number of ranks of the launch: at least the highest known rank plus 1. */
int64_t job_world_size(const struct job_world *world);
void job_worlds_free(struct job_worlds *worlds);

#endif
