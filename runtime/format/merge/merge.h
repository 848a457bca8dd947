/* Merges records of one module by the rules of the tables. The runtime and darshan-merge merge the
 * ranks of a job that share a file. The text output adds up totals, which the format defines a
 * little differently (doc/log-format.md). Works for records of counters and fcounters: the kinds
 * COUNTERS, FILE_COUNTERS, DFS and DAOS. */
#ifndef DARSHAN_MERGE_H
#define DARSHAN_MERGE_H

#include "describe.h"

#include <stdbool.h>

/* Indexes of the counters of the fastest or slowest rank (rank, bytes) and of its fcounter
 * (time). */
struct darshan_extreme_places {
  int rank, bytes, time;
};

enum { DARSHAN_KIND_TIMES = 6 };

/* Data of a module that the rules need. An index is -1 if the module has no such counter. */
struct darshan_merge_plan {
  const struct darshan_module *module; /* NULL in a plan made by id */
  int id;
  size_t record_size;
  size_t counters_at, fcounters_at; /* byte offsets in a record */
  int num_counters, num_fcounters;
  const unsigned char *rules, *frules; /* enum darshan_rule of each counter and fcounter */
  int bytes_read, bytes_written;       /* counters */
  int max_byte_read, max_byte_written;
  int read_time, write_time, meta_time; /* fcounters */
  int kind_times[DARSHAN_KIND_TIMES]; /* fcounters: the times other than reads and writes, if there
                                         is no meta_time */
  int variance_time, variance_bytes;
  struct darshan_extreme_places fastest, slowest;
  bool unknown_sums; /* negative sums mean "unknown" and become -1 */
};
/* darshan_merge_plan_of makes the plan of a module id. Returns true, or false if records of this
 * module cannot be merged, because they consist of more than counters. */
bool darshan_merge_plan_of(struct darshan_merge_plan *plan, int module);
void darshan_merge_plan_make(struct darshan_merge_plan *plan, const struct darshan_module *module);

/* Returns the enum darshan_unit of each fcounter, if the records of the module end with them; NULL
 * and count 0 for other modules. */
const unsigned char *darshan_fcounter_units(int module, int *count);

/* Return the address of the first counter, or fcounter, in a record. */
int64_t *darshan_record_counters(const struct darshan_merge_plan *plan, const void *record);
double *darshan_record_fcounters(const struct darshan_merge_plan *plan, const void *record);

/* Return sums of one record: darshan_record_bytes the bytes read and written, darshan_record_time
 * the seconds in all I/O. */
int64_t darshan_record_bytes(const struct darshan_merge_plan *plan, const void *record);
double darshan_record_time(const struct darshan_merge_plan *plan, const void *record);

/* To merge the ranks of a job: prepare the record of every rank, merge records pairwise in any
 * order, finish the last one. A record's spread has the sums from which its variances are
 * computed. */
struct darshan_spread {
  double n;                     /* ranks */
  double time_sum, time_square; /* sum, and sum of squared deviations */
  double bytes_sum, bytes_square;
};
/* darshan_merge_prepare makes the rank of a record its fastest and slowest rank, and sets its
 * spread. darshan_merge_pair merges `from` into `into`, with both spreads. darshan_merge_finish
 * sets the variances and rank -1. */
void darshan_merge_prepare(const struct darshan_merge_plan *plan, void *record,
                           struct darshan_spread *spread);
/* darshan_merge_resume restores the spread of a shared record that an earlier reduction of `ranks`
 * ranks made, so that it can be merged with further ranks. */
void darshan_merge_resume(const struct darshan_merge_plan *plan, const void *record, uint32_t ranks,
                          struct darshan_spread *spread);
void darshan_merge_pair(const struct darshan_merge_plan *plan, void *into,
                        struct darshan_spread *into_spread, const void *from,
                        const struct darshan_spread *from_spread);
void darshan_merge_finish(const struct darshan_merge_plan *plan, void *record,
                          const struct darshan_spread *spread);

/* Merges record `from` into `into`; both are of the same rank. Does not change the fastest and
 * slowest rank and the variances of `into`. */
void darshan_merge_same_rank(const struct darshan_merge_plan *plan, void *into, const void *from);

/* State of a total over all records of a module. The total itself is a record, which starts
 * zeroed. */
struct darshan_total_state {
  bool started; /* a record was added */
  bool one_id;  /* all records so far are of one file */
  uint64_t id;  /* of the first record */
};
/* Adds a record to the total; *state starts zeroed, too. If the records have several ranks, the
 * total has rank -1; if they have several ids, it has id 0. */
void darshan_total_add(const struct darshan_merge_plan *plan, struct darshan_total_state *state,
                       void *total, const void *record);

/* Merge every list of most common values of `from` into the list of `into`. darshan_top4_reduce,
 * for the ranks of a job, adds the counts of equal values and keeps the four values that are then
 * most common. darshan_top4_total, for totals, adds the counts of equal values in place and inserts
 * other values by their counts, but does not sort again. */
void darshan_top4_reduce(const struct darshan_merge_plan *plan, void *into, const void *from);
void darshan_top4_total(const struct darshan_merge_plan *plan, void *into, const void *from);

#endif
