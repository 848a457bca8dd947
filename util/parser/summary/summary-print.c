/* Prints the results of --total, --file and --perf. */
#include "../numbers.h"
#include "../output.h"
#include "summary.h"

#include <inttypes.h>

static void print_totals(const struct summary *summary, struct output *out) {
  const struct darshan_module *module = summary->plan.module;
  const int64_t *counters = darshan_record_counters(&summary->plan, summary->total);
  const double *fcounters = darshan_record_fcounters(&summary->plan, summary->total);
  char number[NUMBER_MAX];
  output_text(out, "\n");
  for (const struct darshan_counter *row = module->counters; row->name[0]; row++) {
    if (row->index < 0) continue;
    *number_signed(number, counters[row->index]) = '\0';
    output_printf(out, "total_%s: %s\n", row->name, number);
  }
  for (const struct darshan_counter *row = module->fcounters; row->name[0]; row++) {
    if (row->index < 0) continue;
    *number_fixed(number, fcounters[row->index]) = '\0';
    output_printf(out, "total_%s: %s\n", row->name, number);
  }
}

static void print_category(struct output *out, const char *name,
                           const struct summary_category *category) {
  output_printf(out, "# %s: %" PRId64 " %" PRId64 " %" PRId64 "\n", name, category->count,
                (int64_t)((uint64_t)category->read + (uint64_t)category->written),
                category->max_offset);
}

/* Adds the partly shared files to the shared ones, because the text counts them as shared. */
static void add_partly_shared(struct summary_category *shared,
                              const struct summary_category *partly) {
  shared->count += partly->count;
  shared->read = (int64_t)((uint64_t)shared->read + (uint64_t)partly->read);
  shared->written = (int64_t)((uint64_t)shared->written + (uint64_t)partly->written);
  shared->max_offset = /* the sum, as the format defines it */
      (int64_t)((uint64_t)shared->max_offset + (uint64_t)partly->max_offset);
}

static void print_files(const struct summary *summary, struct output *out) {
  struct summary_category categories[SUMMARY_CATEGORIES];
  summary_files(summary, categories);
  add_partly_shared(&categories[SUMMARY_SHARED], &categories[SUMMARY_PARTLY_SHARED]);
  output_text(out, "\n# files\n# -----\n"
                   "#   file_type: which files are counted; one that was neither read nor written\n"
                   "#     counts in total, and as unique or shared\n"
                   "#   file_count: number of files\n"
                   "#   total_bytes: bytes read and written\n"
                   "#   max_byte_offset: highest offset touched, -1 if not known\n"
                   "# <file_type> <file_count> <total_bytes> <max_byte_offset>\n");
  print_category(out, "total", &categories[SUMMARY_ALL]);
  print_category(out, "read_only", &categories[SUMMARY_READ_ONLY]);
  print_category(out, "write_only", &categories[SUMMARY_WRITE_ONLY]);
  print_category(out, "read_write", &categories[SUMMARY_READ_WRITE]);
  print_category(out, "unique", &categories[SUMMARY_UNIQUE]);
  print_category(out, "shared", &categories[SUMMARY_SHARED]);
}

static void print_perf(const struct summary *summary, struct output *out) {
  struct summary_perf perf;
  summary_perf(summary, &perf);
  output_printf(out, "\n# performance\n# -----------\n# total_bytes: %" PRId64 "\n#\n",
                perf.total_bytes);
  output_text(out, "# I/O timing for unique files (seconds):\n# ...........................\n");
  output_printf(out, "# unique files: slowest_rank_io_time: %f\n", perf.slowest_all);
  output_printf(out, "# unique files: slowest_rank_meta_only_time: %f\n", perf.slowest_meta);
  output_printf(out, "# unique files: slowest_rank_rw_only_time: %f\n", perf.slowest_transfers);
  output_printf(out, "# unique files: slowest_rank: %d\n#\n", perf.slowest_rank);
  output_text(out, "# I/O timing for shared files (seconds):\n# ...........................\n");
  output_printf(out, "# shared files: time_by_slowest: %f\n#\n", perf.shared_time);
  output_text(out, "# Aggregate performance, including both shared and unique files:\n"
                   "# ...........................\n");
  output_printf(out, "# agg_time_by_slowest: %f # seconds\n", perf.time);
  output_printf(out, "# agg_perf_by_slowest: %f # MiB/s\n", perf.mebibytes_per_second);
}

void summary_print(const struct summary *summary, struct output *out) {
  if (summary->want.total) print_totals(summary, out);
  if (summary->want.file) print_files(summary, out);
  if (summary->want.perf) print_perf(summary, out);
}
