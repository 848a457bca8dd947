/* What --total, --file and --perf print of one module: built record by record,
 * printed at the end of the module. */
#ifndef DARSHAN_SUMMARY_H
#define DARSHAN_SUMMARY_H

#include "id-table.h"
#include "merge.h"
#include "output.h"

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
void summary_print(const struct summary *summary, struct output *out);
void summary_close(struct summary *summary);

/* summary-file.c: --file */
int summary_file_add(struct summary *summary, const void *record);
void summary_file_print(const struct summary *summary, struct output *out);

/* summary-perf.c: --perf */
int summary_perf_add(struct summary *summary, const void *record);
void summary_perf_print(const struct summary *summary, struct output *out);

/* Sizes of the values of the two tables above. */
extern const size_t summary_file_value, summary_perf_value;

#endif
