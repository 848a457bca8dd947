/* Declares the records of one rank of a job, which are read from all logs that contain the rank. */
#ifndef DARSHAN_MERGE_RANK_RECORDS_H
#define DARSHAN_MERGE_RANK_RECORDS_H

#include "../../../runtime/log/ranks/rank.h"
#include "../run/records/combine.h"
#include "../run/records/row.h"
#include "launches.h"

struct rank_records {      /* zeroed before its first use; reused for the next rank */
  struct job_world *world; /* world, logs and grid: set by the caller */
  struct job_logs *logs;
  struct heat_grid grid;      /* of the job's heat maps */
  int64_t rank;               /* number that the launcher assigned */
  struct combined combined;   /* the rank's records, one per file */
  char host[LAUNCH_HOST];     /* host of the rank's first process */
  double start;               /* start of that process, seconds after the job's start */
  char command[ROW_NAME + 1]; /* command line of that process's last program */
  struct job_log *loaded;     /* log in memory; consecutive ranks are often in the same log */
  darshan_log *open;          /* the same log, open for its names; NULL: none */
  struct part all, own;       /* all records of that log; own records of the rank */
  struct map shared;          /* offsets of that log's SHARED records, by module and id */
  struct map seen;            /* set of ranks, used while a span is counted */
  int64_t range[3];      /* processes that share the record whose span was computed last: count,
                            lowest, highest rank in the log */
  struct rank_span span; /* the ranks of these processes: number, lowest, highest */
  struct map spans;      /* indices of span_list, by module and id */
  struct rank_span *span_list;
  size_t num_spans, room_spans;
};

/* Reads the records of a rank from all its logs into records->combined. rank: number that the
 * launcher assigned. Skips an unreadable log with a message. Returns 0, or -1 if out of memory. */
int rank_records_take(struct rank_records *records, int64_t rank);
/* Finds the ranks that share a record of the current rank (module, id), for the reduction. Returns
 * 1 with the number of ranks, the lowest and the highest in *span; 0 if the record is not shared.
 */
int rank_records_span(const struct rank_records *records, int module, uint64_t id,
                      struct rank_span *span);
void rank_records_free(struct rank_records *records);

/* The PROCESS record of a job's rank, made from the records of its processes in all logs. */

struct process_row {
  const struct job_world *world;
  int64_t rank;                         /* number that the launcher assigned */
  struct darshan_process_record record; /* sums so far; PROCESS_COUNT 0: no process was added */
  char name[ROW_NAME + 1];              /* name of the first process's record */
  char host[LAUNCH_HOST];               /* of that process; "": too long */
};

/* Begins the record of a rank, without processes. */
void process_row_begin(struct process_row *row, const struct job_world *world, int64_t rank);
/* Adds the rank's processes from a log with PROCESS records. open: the log. part: its records.
 * shift: seconds that are added to their times. */
void process_row_add(struct process_row *row, darshan_log *open, const struct job_log *log,
                     const struct part *part, double shift);
/* Adds the only process of a log, with its host, command line, I/O and lifetime. shift: seconds
 * from the job's start to the log's start. Returns 0, or -1 if out of memory. */
int process_row_add_whole(struct process_row *row, darshan_log *open, const struct job_log *log,
                          const struct part *part, double shift);
/* Appends the finished PROCESS record and its name to the rank's records; appends nothing if no log
 * of the rank was readable. Returns 0, or -1 if out of memory. */
int process_row_end(struct process_row *row, struct combined *combined);

#endif
