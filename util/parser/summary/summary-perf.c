/* Computes the throughput by the slowest rank. */
#include "summary.h"

/* Seconds of one rank in files that it does not share: in all I/O; in reads and writes; in metadata
 * operations. */
struct rank_sums {
  double all, transfers, meta;
};
const size_t summary_perf_value = sizeof(struct rank_sums);

int summary_perf_add(struct summary *summary, const void *record) {
  const struct darshan_merge_plan *plan = &summary->plan;
  const struct darshan_base_record *base = record;
  const double *fcounters = darshan_record_fcounters(plan, record);
  summary->total_bytes =
      (int64_t)((uint64_t)summary->total_bytes + (uint64_t)darshan_record_bytes(plan, record));
  if (base->rank < 0) {
    summary->shared_time += fcounters[plan->slowest.time];
    return 0;
  }
  int is_new;
  struct rank_sums *sums = id_table_get(&summary->ranks, (uint64_t)base->rank, &is_new);
  if (!sums) return -1;
  sums->all += darshan_record_time(plan, record);
  sums->transfers += fcounters[plan->read_time] + fcounters[plan->write_time];
  sums->meta += fcounters[plan->meta_time];
  return 0;
}

/* Returns the rank with the largest I/O time, the lowest such rank if several times are equal; 0 if
 * all times are 0. Stores the rank's times in *slowest. */
static uint64_t slowest_rank(const struct id_table *ranks, struct rank_sums *slowest) {
  uint64_t rank = 0;
  *slowest = (struct rank_sums){0, 0, 0};
  for (size_t i = 0; i < ranks->count; i++) {
    const struct rank_sums *sums = id_table_value(ranks, i);
    bool slower = sums->all > slowest->all;
    bool equal = sums->all == slowest->all && slowest->all > 0 && ranks->keys[i] < rank;
    if (!slower && !equal) continue;
    *slowest = *sums;
    rank = ranks->keys[i];
  }
  return rank;
}

void summary_perf(const struct summary *summary, struct summary_perf *perf) {
  struct rank_sums slowest;
  uint64_t rank = slowest_rank(&summary->ranks, &slowest);
  double time = slowest.all + summary->shared_time;
  double mebibytes = (double)summary->total_bytes / 1048576;
  *perf = (struct summary_perf){.total_bytes = summary->total_bytes,
                                .slowest_all = slowest.all,
                                .slowest_transfers = slowest.transfers,
                                .slowest_meta = slowest.meta,
                                .slowest_rank = (int)rank,
                                .shared_time = summary->shared_time,
                                .time = time,
                                .mebibytes_per_second = time == 0 ? 0 : mebibytes / time};
}
