/* The PROCESS record of a rank of a job: of its processes, whatever logs they are in. */
#ifndef DARSHAN_MERGE_PROCESS_ROW_H
#define DARSHAN_MERGE_PROCESS_ROW_H

#include "../run/row.h"
#include "worlds.h"

struct process_row {
  const struct job_world *world;
  int64_t rank;
  struct darshan_process_record record;
  char name[ROW_NAME + 1]; /* of its first process */
  char host[LAUNCH_HOST];
};

void process_row_begin(struct process_row *row, const struct job_world *world, int64_t rank);
/* Its processes in the log of a run; shift: to be added to times. */
void process_row_add(struct process_row *row, darshan_log *open, const struct job_log *log,
                     const struct part *part, double shift);
/* The only process of a log.  0, or -1: no memory. */
int process_row_add_whole(struct process_row *row, darshan_log *open, const struct job_log *log,
                          const struct part *part, double shift);
/* Adds the record, and its name.  0, or -1: no memory. */
int process_row_end(struct process_row *row, struct combined *combined);

#endif
