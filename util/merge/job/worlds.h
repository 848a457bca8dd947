/* Which logs belong together: those whose processes one launch started. */
#ifndef DARSHAN_MERGE_JOB_WORLDS_H
#define DARSHAN_MERGE_JOB_WORLDS_H

#include "logs.h"

struct job_world {
  int64_t launch, size; /* size 0: not known */
  int64_t jobid;        /* a scheduler's; 0: none said it */
  char launcher[LAUNCH_NAME], text[LAUNCH_TEXT];
  char name[LAUNCH_TEXT + 32]; /* what it is called; no two have the same */
  struct job_log **logs;       /* by start */
  size_t num_logs, room_logs;
  int64_t *ranks; /* that are in them, ascending */
  size_t num_ranks;
  int64_t start_ns, end_ns;
};

struct job_worlds { /* zeroed before its first use */
  struct job_world *worlds;
  size_t count, room;
};

/* 0, or -1 after a line: no memory, or logs that cannot be told apart. */
int job_worlds_find(struct job_worlds *worlds, struct job_logs *logs);
/* The world's own rank of a rank of one of its logs, -1: it is none of its. */
int64_t job_world_rank(const struct job_world *world, const struct job_log *log, int64_t rank);
/* How many ranks there were, as far as anybody knows. */
int64_t job_world_size(const struct job_world *world);
void job_worlds_free(struct job_worlds *worlds);

#endif
