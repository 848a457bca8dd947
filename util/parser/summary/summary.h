/* Sums over the records of one module. They grow record by record. darshan-parser prints them at
 * the end of the module (--total, --file, --perf); libdarshan-util returns them. */
#ifndef DARSHAN_SUMMARY_H
#define DARSHAN_SUMMARY_H

#include "../id-table.h"
#include "merge/merge.h"

/* The sums to compute: --total, --file, --perf. */
struct summary_options {
  bool total, file, perf;
};

struct summary {
  struct summary_options want;    /* without sums that the module does not have */
  struct darshan_merge_plan plan; /* rules by which counters are added */
  struct darshan_total_state total_state;
  uint64_t *total;       /* a record of the module with the totals of its counters */
  struct id_table files; /* record id -> struct file_sums */
  struct id_table ranks; /* rank -> struct rank_sums */
  int64_t total_bytes;   /* bytes read and written */
  double shared_time;    /* seconds of the slowest rank, sum over the shared records */
};

/* Returns whether a module's records have the time of the slowest rank, as those of modules that
 * move bytes of files do. Returns false for datasets and variables, because they are parts of files
 * that are counted already, and for modules of the annex, whose records are call sites and the
 * like, not files. */
bool summary_has_io(const struct darshan_module *module);
/* Returns whether --total has totals of this module: true for a module of files, and for a module
 * of the annex with ordinary counters. */
bool summary_has_totals(const struct darshan_module *module);

/* Prepares empty sums for the records of a module. want: the sums that were requested. Returns 0,
 * or -1 if out of memory. */
int summary_open(struct summary *summary, const struct darshan_module *module,
                 struct summary_options want);
/* Adds a record of the module, in the newest layout. Returns 0, or -1 if out of memory. */
int summary_add(struct summary *summary, const void *record);
/* Frees the memory of the sums; also called if summary_open failed. */
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
/* Adds a record to the sums of its file. Returns 0, or -1 if out of memory. */
int summary_file_add(struct summary *summary, const void *record);
/* Writes the sums of each category of files; `categories` has SUMMARY_CATEGORIES elements. */
void summary_files(const struct summary *summary, struct summary_category *categories);

/* summary-perf.c: throughput; times in seconds. */
struct summary_perf {
  int64_t total_bytes; /* bytes read and written */
  /* I/O time of the rank with most I/O in files that it does not share: all, reads and writes,
   * metadata operations. */
  double slowest_all, slowest_transfers, slowest_meta;
  int slowest_rank;            /* that rank; 0 if no rank has I/O in such files */
  double shared_time;          /* time of the slowest rank, sum over the shared records */
  double time;                 /* slowest_all + shared_time */
  double mebibytes_per_second; /* total_bytes by time; 0 if time is 0 */
};
/* Adds a record to the bytes, and to the times of its rank. Returns 0, or -1 if out of memory. */
int summary_perf_add(struct summary *summary, const void *record);
/* Computes the throughput from the records that were added. */
void summary_perf(const struct summary *summary, struct summary_perf *perf);

/* summary-print.c: prints what the options request. */
struct output;
void summary_print(const struct summary *summary, struct output *out);

/* Bytes of a value in the tables `files` and `ranks`. */
extern const size_t summary_file_value, summary_perf_value;

#endif
