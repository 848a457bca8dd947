/* The PROCESS record of a job's rank, from the records of its processes in all logs. */
#ifndef DARSHAN_MERGE_PROCESS_ROW_H
#define DARSHAN_MERGE_PROCESS_ROW_H

#include "../run/records/row.h"
#include "launches.h"

struct process_row {
  const struct job_world *world;
  int64_t rank;
  struct darshan_process_record record;
  char name[ROW_NAME + 1]; /* of its first process */
  char host[LAUNCH_HOST];
};

void process_row_begin(struct process_row *row, const struct job_world *world, int64_t rank);
/* Adds the rank's processes in the log of a run, and `shift` seconds to their times. */
void process_row_add(struct process_row *row, darshan_log *open, const struct job_log *log,
                     const struct part *part, double shift);
/* Adds the only process of a log. Returns 0, or -1 if out of memory. */
int process_row_add_whole(struct process_row *row, darshan_log *open, const struct job_log *log,
                          const struct part *part, double shift);
/* Adds the record and its name. Returns 0, or -1 if out of memory. */
int process_row_end(struct process_row *row, struct combined *combined);

#endif
