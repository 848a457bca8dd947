/* Sums over the records of one module. They grow record by record. darshan-parser prints them at
 * the end of the module (--total, --file, --perf); libdarshan-util returns them. */
#ifndef DARSHAN_SUMMARY_H
#define DARSHAN_SUMMARY_H

#include "../id-table.h"
#include "merge/merge.h"

struct summary_options {
  bool total, file, perf;
};

struct summary {
  struct summary_options want; /* limited to what the module has */
  struct darshan_merge_plan plan;
  struct darshan_total_state total_state;
  uint64_t *total;       /* a record of the module */
  struct id_table files; /* record id -> struct file_sums */
  struct id_table ranks; /* rank -> struct rank_sums */
  int64_t total_bytes;
  double shared_time;
};

/* Returns whether a module's records have the time of the slowest rank, as those of modules that
 * move bytes of files do. Returns false for datasets and variables, because they are parts of files
 * that are counted already. */
bool summary_has_io(const struct darshan_module *module);
bool summary_has_totals(const struct darshan_module *module);

/* Prepares empty sums for the records of a module. Returns 0, or -1 if out of memory. */
int summary_open(struct summary *summary, const struct darshan_module *module,
                 struct summary_options want);
int summary_add(struct summary *summary, const void *record);
void summary_close(struct summary *summary);

/* summary-file.c: categories of files. */
enum {
  SUMMARY_ALL,
  SUMMARY_READ_ONLY,
  SUMMARY_WRITE_ONLY,
  SUMMARY_READ_WRITE,
  SUMMARY_UNIQUE, /* used by one process; shared: by all; partly shared: by some */
  SUMMARY_SHARED,
  SUMMARY_PARTLY_SHARED,
  SUMMARY_CATEGORIES
};
struct summary_category {
  int64_t count;                                  /* files */
  int64_t read, written, most_read, most_written; /* bytes; most_*: of one file */
  int64_t sum_of_offsets, max_offset;             /* of the files' highest offsets; -1: not known */
  int64_t processes; /* sum over the files; -1: a file was shared by all */
};
int summary_file_add(struct summary *summary, const void *record);
/* Writes the sums of each category of files; `categories` has SUMMARY_CATEGORIES elements. */
void summary_files(const struct summary *summary, struct summary_category *categories);

/* summary-perf.c: throughput; times in seconds. */
struct summary_perf {
  int64_t total_bytes;
  double slowest_all, slowest_transfers, slowest_meta; /* slowest rank, unshared files */
  int slowest_rank;
  double shared_time;
  double time, mebibytes_per_second;
};
int summary_perf_add(struct summary *summary, const void *record);
void summary_perf(const struct summary *summary, struct summary_perf *perf);

/* summary-print.c: prints what the options request. */
struct output;
void summary_print(const struct summary *summary, struct output *out);

/* Value sizes of the tables `files` and `ranks`. */
extern const size_t summary_file_value, summary_perf_value;

#endif
