/* What one rank of a job did, from all logs that know of it. */
#ifndef DARSHAN_MERGE_RANK_RECORDS_H
#define DARSHAN_MERGE_RANK_RECORDS_H

#include "../../../runtime/log/ranks/rank.h"
#include "../run/combine.h"
#include "../run/row.h"
#include "worlds.h"

struct rank_records { /* zeroed before its first use; used again for the next rank */
  struct job_world *world;
  struct job_logs *logs;
  struct heat_grid grid;
  int64_t rank;
  struct combined combined;
  char host[LAUNCH_HOST]; /* of the rank's first process */
  double start;           /* of that, seconds after the job's, and its command */
  char command[ROW_NAME + 1];
  struct job_log *loaded; /* what is in memory: neighbours share a log */
  darshan_log *open;
  struct part all, own;  /* of that log, of the rank in it */
  struct map shared;     /* of that log: rows of SHARED by module and id */
  struct map seen;       /* ranks, while a span is counted */
  int64_t range[3];      /* processes that were counted last, */
  struct rank_span span; /* and what that gave */
  struct map spans;      /* of the rank: in span_list, by module and id */
  struct rank_span *span_list;
  size_t num_spans, room_spans;
};

/* 0, or -1: no memory.  What cannot be read is left out, with a line. */
int rank_records_take(struct rank_records *records, int64_t rank);
/* For the reduction; 0: none. */
int rank_records_span(const struct rank_records *records, int module, uint64_t id,
                      struct rank_span *span);
void rank_records_free(struct rank_records *records);

#endif
