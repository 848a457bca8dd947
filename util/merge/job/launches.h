/* Declares the functions that group logs by the launch that started their processes: one call of
 * srun, torchrun or another launcher. */
#ifndef DARSHAN_MERGE_JOB_LAUNCHES_H
#define DARSHAN_MERGE_JOB_LAUNCHES_H

#include "logs.h"

struct job_world {                               /* one launch, and its logs */
  int64_t launch, size;                          /* struct launch.id; number of ranks, 0: unknown */
  int64_t jobid;                                 /* job number of the scheduler; 0: unknown */
  char launcher[LAUNCH_NAME], text[LAUNCH_TEXT]; /* name of the launcher; its name for the launch */
  char name[LAUNCH_TEXT + 32]; /* unique name of the launch, for messages and --job */
  struct job_log **logs;       /* sorted by start */
  size_t num_logs, room_logs;  /* number of logs; capacity of the list */
  int64_t *ranks;              /* ranks with logs, ascending */
  size_t num_ranks;
  int64_t start_ns, end_ns; /* earliest start and latest end of its logs, since the epoch */
};

struct job_worlds { /* all launches; zeroed before its first use */
  struct job_world *worlds;
  size_t count, room;
};

/* Finds the launches and assigns each log to the launches of its ranks. The result points to the
 * logs. Returns 0. Returns -1 if out of memory, or after a message if logs of two launches cannot
 * be distinguished. */
int job_worlds_find(struct job_worlds *worlds, struct job_logs *logs);
/* Converts a rank number of a log to the number that the launcher assigned. Returns -1 if the log
 * has no such rank, or if the rank does not belong to this launch. */
int64_t job_world_rank(const struct job_world *world, const struct job_log *log, int64_t rank);
/* Returns the number of ranks of the launch: at least the highest known rank plus 1. */
int64_t job_world_size(const struct job_world *world);
void job_worlds_free(struct job_worlds *worlds);

#endif
