/* The records of one rank of a job, from all logs that have some. */
#ifndef DARSHAN_MERGE_RANK_RECORDS_H
#define DARSHAN_MERGE_RANK_RECORDS_H

#include "../../../runtime/log/ranks/rank.h"
#include "../run/records/combine.h"
#include "../run/records/row.h"
#include "launches.h"

struct rank_records { /* zeroed before its first use; reused for the next rank */
  struct job_world *world;
  struct job_logs *logs;
  struct heat_grid grid;
  int64_t rank;
  struct combined combined;
  char host[LAUNCH_HOST]; /* of the rank's first process */
  double start;           /* of that process: seconds after the job's start, command line */
  char command[ROW_NAME + 1];
  struct job_log *loaded; /* the log in memory; neighbouring ranks often share it */
  darshan_log *open;
  struct part all, own;  /* records of that log, and those of the rank */
  struct map shared;     /* offsets of SHARED rows of that log, by module and id */
  struct map seen;       /* set of ranks, while a span is counted */
  int64_t range[3];      /* users of the last counted record */
  struct rank_span span; /* the span of these users */
  struct map spans;      /* indices of span_list, by module and id */
  struct rank_span *span_list;
  size_t num_spans, room_spans;
};

/* Reads the records of a rank from all its logs. Skips unreadable logs with a message. Returns 0,
 * or -1 if out of memory. */
int rank_records_take(struct rank_records *records, int64_t rank);
/* Finds the ranks that share a record, for the reduction. Returns 1 and stores them in *span, or
 * returns 0 if the record is not shared. */
int rank_records_span(const struct rank_records *records, int module, uint64_t id,
                      struct rank_span *span);
void rank_records_free(struct rank_records *records);

/* The PROCESS record of a job's rank, from the records of its processes in all logs. */

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
/* Adds the only process of a log to the row, with its host, command line, I/O and lifetime. shift:
 * seconds from the job's start to the log's. Returns 0, or -1 if out of memory. */
int process_row_add_whole(struct process_row *row, darshan_log *open, const struct job_log *log,
                          const struct part *part, double shift);
/* Adds the PROCESS record of the row and its name to the rank's records. Returns 0, or -1 if out of
 * memory. */
int process_row_end(struct process_row *row, struct combined *combined);

#endif
