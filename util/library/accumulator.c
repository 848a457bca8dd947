/* darshan_accumulator: sums over many records, as darshan-parser prints them. */
#include "handle.h"

#include "summary/summary.h"

#include <stdlib.h>
#include <string.h>

struct darshan_accumulator_st {
  struct summary summary;
  int64_t job_nprocs;
};

int darshan_accumulator_create(int module, int64_t job_nprocs, darshan_accumulator *accumulator) {
  const struct darshan_module *known = darshan_module_by_id(module);
  if (!accumulator) return -1;
  *accumulator = NULL;
  if (!known || !summary_has_io(known)) return -1;
  struct darshan_accumulator_st *made = calloc(1, sizeof(*made));
  if (!made) return -1;
  made->job_nprocs = job_nprocs;
  const struct summary_options all = {.total = true, .file = true, .perf = true};
  if (summary_open(&made->summary, known, all) != 0) {
    darshan_accumulator_destroy(made);
    return -1;
  }
  *accumulator = made;
  return 0;
}

int darshan_accumulator_inject(darshan_accumulator accumulator, void *records, int count) {
  if (!accumulator || count < 0 || (!records && count > 0)) return -1;
  struct summary *summary = &accumulator->summary;
  const char *record = records;
  for (int i = 0; i < count; i++, record += summary->plan.record_size)
    if (summary_add(summary, record) != 0) return -1;
  return 0;
}

static void fill_category(struct darshan_file_category_counters *to,
                          const struct summary_category *from, int64_t job_nprocs) {
  bool all = from->processes == -1 || (from->count > 0 && from->processes >= job_nprocs);
  *to = (struct darshan_file_category_counters){.count = from->count,
                                                .total_read_volume_bytes = from->read,
                                                .total_write_volume_bytes = from->written,
                                                .max_read_volume_bytes = from->most_read,
                                                .max_write_volume_bytes = from->most_written,
                                                .total_max_offset_bytes = from->sum_of_offsets,
                                                .max_offset_bytes = from->max_offset,
                                                .nprocs = all ? -1 : from->processes};
}

static void fill_metrics(struct darshan_derived_metrics *metrics, const struct summary *summary,
                         int64_t job_nprocs) {
  struct summary_perf perf;
  struct summary_category categories[SUMMARY_CATEGORIES];
  static_assert(SUMMARY_CATEGORIES ==
                    sizeof(metrics->category_counters) / sizeof(metrics->category_counters[0]),
                "one of each");
  summary_perf(summary, &perf);
  summary_files(summary, categories);
  *metrics =
      (struct darshan_derived_metrics){.total_bytes = perf.total_bytes,
                                       .unique_io_total_time_by_slowest = perf.slowest_all,
                                       .unique_rw_only_time_by_slowest = perf.slowest_transfers,
                                       .unique_md_only_time_by_slowest = perf.slowest_meta,
                                       .unique_io_slowest_rank = perf.slowest_rank,
                                       .shared_io_total_time_by_slowest = perf.shared_time,
                                       .agg_perf_by_slowest = perf.mebibytes_per_second,
                                       .agg_time_by_slowest = perf.time};
  for (int i = 0; i < SUMMARY_CATEGORIES; i++)
    fill_category(&metrics->category_counters[i], &categories[i], job_nprocs);
}

int darshan_accumulator_emit(darshan_accumulator accumulator,
                             struct darshan_derived_metrics *metrics, void *aggregation_record) {
  if (!accumulator) return -1;
  const struct summary *summary = &accumulator->summary;
  if (metrics) fill_metrics(metrics, summary, accumulator->job_nprocs);
  if (aggregation_record) memcpy(aggregation_record, summary->total, summary->plan.record_size);
  return 0;
}

int darshan_accumulator_destroy(darshan_accumulator accumulator) {
  if (!accumulator) return -1;
  summary_close(&accumulator->summary);
  free(accumulator);
  return 0;
}
