/* How records of one module become one, by the rules of the tables.  Two uses,
 * one engine: the ranks of a job that share a file (runtime and darshan-merge),
 * and the totals of the text output, which the format defines a little
 * differently (doc/log-format.md).  For modules whose records are counters and
 * fcounters: the kinds COUNTERS, FILE_COUNTERS, DFS and DAOS. */
#ifndef DARSHAN_MERGE_H
#define DARSHAN_MERGE_H

#include "describe.h"

#include <stdbool.h>

/* Counters and fcounter that name a rank. */
struct darshan_extreme_places {
  int rank, bytes, time;
};

/* What the rules need to know about a module; indexes are -1 where it has no
 * such counter. */
struct darshan_merge_plan {
  const struct darshan_module *module; /* NULL in a plan made by number alone */
  int id;
  size_t record_size;
  size_t counters_at, fcounters_at; /* byte offsets in a record */
  int num_counters, num_fcounters;
  const unsigned char *rules, *frules; /* enum darshan_rule of each */
  int bytes_read, bytes_written;       /* counters */
  int max_byte_read, max_byte_written;
  int read_time, write_time, meta_time; /* fcounters */
  int variance_time, variance_bytes;
  struct darshan_extreme_places fastest, slowest;
  bool unknown_sums; /* negative sums mean "unknown" and become -1 */
};
/* By the number of a module; false: its records are not counters alone, and
 * there is nothing to merge. */
bool darshan_merge_plan_of(struct darshan_merge_plan *plan, int module);
void darshan_merge_plan_make(struct darshan_merge_plan *plan, const struct darshan_module *module);

/* enum darshan_unit of each fcounter, of modules whose records end with them; NULL and 0
 * for others. */
const unsigned char *darshan_fcounter_units(int module, int *count);

int64_t *darshan_record_counters(const struct darshan_merge_plan *plan, const void *record);
double *darshan_record_fcounters(const struct darshan_merge_plan *plan, const void *record);

/* Bytes read and written, and seconds in all I/O, of one record. */
int64_t darshan_record_bytes(const struct darshan_merge_plan *plan, const void *record);
double darshan_record_time(const struct darshan_merge_plan *plan, const void *record);

/* Ranks of one job: prepare the record of every rank, merge them pairwise in
 * any order, finish the last one.  The spread travels beside the record. */
struct darshan_spread {
  double n;                     /* ranks */
  double time_sum, time_square; /* sum, and sum of squared deviations */
  double bytes_sum, bytes_square;
};
void darshan_merge_prepare(const struct darshan_merge_plan *plan, void *record,
                           struct darshan_spread *spread);
/* The same of a record that so many ranks made together before. */
void darshan_merge_resume(const struct darshan_merge_plan *plan, const void *record, uint32_t ranks,
                          struct darshan_spread *spread);
void darshan_merge_pair(const struct darshan_merge_plan *plan, void *into,
                        struct darshan_spread *into_spread, const void *from,
                        const struct darshan_spread *from_spread);
void darshan_merge_finish(const struct darshan_merge_plan *plan, void *record,
                          const struct darshan_spread *spread);

/* Two records of one rank become one: who was fastest, and the spread, stay as `into` has
 * them. */
void darshan_merge_same_rank(const struct darshan_merge_plan *plan, void *into, const void *from);

/* Totals over all records of a module; the total starts zeroed. */
struct darshan_total_state {
  bool started;
  bool one_id; /* all records so far are of one file */
  uint64_t id;
};
void darshan_total_add(const struct darshan_merge_plan *plan, struct darshan_total_state *state,
                       void *total, const void *record);

#endif
