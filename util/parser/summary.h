/* Sums over the records of one module: built record by record, and printed at the end of
 * the module (--total, --file and --perf) or handed out (libdarshan-util). */
#ifndef DARSHAN_SUMMARY_H
#define DARSHAN_SUMMARY_H

#include "id-table.h"
#include "merge.h"

struct summary_options {
  bool total, file, perf;
};

struct summary {
  struct summary_options want; /* limited to what the module has */
  struct darshan_merge_plan plan;
  struct darshan_total_state total_state;
  uint64_t *total;       /* a record */
  struct id_table files; /* record id -> struct file_sums */
  struct id_table ranks; /* rank -> struct rank_sums */
  int64_t total_bytes;
  double shared_time;
};

/* Whether a module has any of these: those that move the bytes of files.
 * (Datasets and variables are parts of files that are counted already.) */
bool summary_has_io(const struct darshan_module *module);
bool summary_has_totals(const struct darshan_module *module);

/* Returns 0, or -1 if there is no memory. */
int summary_open(struct summary *summary, const struct darshan_module *module,
                 struct summary_options want);
int summary_add(struct summary *summary, const void *record);
void summary_close(struct summary *summary);

/* summary-file.c: kinds of files. */
enum {
  SUMMARY_ALL,
  SUMMARY_READ_ONLY,
  SUMMARY_WRITE_ONLY,
  SUMMARY_READ_WRITE,
  SUMMARY_UNIQUE, /* of one process; shared: of all; partly shared: of some */
  SUMMARY_SHARED,
  SUMMARY_PARTLY_SHARED,
  SUMMARY_CATEGORIES
};
struct summary_category {
  int64_t count;                                  /* files */
  int64_t read, written, most_read, most_written; /* bytes; of the one with most of them */
  int64_t sum_of_offsets, max_offset; /* of the highest ones of each file; -1: not known */
  int64_t processes;                  /* of each file, added; -1: of one, all */
};
int summary_file_add(struct summary *summary, const void *record);
/* Fills SUMMARY_CATEGORIES of them. */
void summary_files(const struct summary *summary, struct summary_category *categories);

/* summary-perf.c: how fast it was.  Seconds. */
struct summary_perf {
  int64_t total_bytes;
  double slowest_all, slowest_transfers, slowest_meta; /* the slowest rank, in files of its own */
  int slowest_rank;
  double shared_time;
  double time, mebibytes_per_second;
};
int summary_perf_add(struct summary *summary, const void *record);
void summary_perf(const struct summary *summary, struct summary_perf *perf);

/* summary-print.c: as the options ask for. */
struct output;
void summary_print(const struct summary *summary, struct output *out);

/* Sizes of the values of the two tables above. */
extern const size_t summary_file_value, summary_perf_value;

#endif
