/* Implements the rules of merge.h, except the rules for the most common values (merge-top4.c). */
#include "merge.h"

int64_t *darshan_record_counters(const struct darshan_merge_plan *plan, const void *record) {
  return (int64_t *)(void *)((char *)(uintptr_t)record + plan->counters_at);
}

double *darshan_record_fcounters(const struct darshan_merge_plan *plan, const void *record) {
  return (double *)(void *)((char *)(uintptr_t)record + plan->fcounters_at);
}

/* Returns the sum of two counters. It wraps on overflow, because counters of a damaged log must not
 * cause undefined behaviour. */
static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

int64_t darshan_record_bytes(const struct darshan_merge_plan *plan, const void *record) {
  const int64_t *counters = darshan_record_counters(plan, record);
  return add(plan->bytes_read < 0 ? 0 : counters[plan->bytes_read],
             plan->bytes_written < 0 ? 0 : counters[plan->bytes_written]);
}

double darshan_record_time(const struct darshan_merge_plan *plan, const void *record) {
  const double *fcounters = darshan_record_fcounters(plan, record);
  double transfers = (plan->read_time < 0 ? 0 : fcounters[plan->read_time]) +
                     (plan->write_time < 0 ? 0 : fcounters[plan->write_time]);
  double seconds = (plan->meta_time < 0 ? 0 : fcounters[plan->meta_time]) + transfers;
  for (int i = 0; i < DARSHAN_KIND_TIMES; i++)
    if (plan->kind_times[i] >= 0) seconds += fcounters[plan->kind_times[i]];
  return seconds;
}

/* Returns the merged value of two counters, for the rules that need no other counter. unknown: true
 * if a negative sum becomes -1. */
static int64_t merge_counter(enum darshan_rule rule, int64_t into, int64_t from, bool unknown) {
  int64_t sum;
  switch (rule) {
  case DARSHAN_RULE_SUM:
  case DARSHAN_RULE_SUM_OR_UNKNOWN:
    sum = add(into, from);
    return unknown && sum < 0 ? -1 : sum;
  case DARSHAN_RULE_MAX:
    return from > into ? from : into;
  case DARSHAN_RULE_MIN_NONZERO:
    return from > 0 && (into <= 0 || from < into) ? from : into;
  case DARSHAN_RULE_OR:
    return into == 1 || from == 1 ? 1 : into;
  case DARSHAN_RULE_BITS:
    return into | from;
  case DARSHAN_RULE_ANY:
    return from != 0 ? from : into; /* a rank that never opened the file has no mode */
  default:
    return into; /* other functions merge it together with other counters */
  }
}

static double merge_fcounter(enum darshan_rule rule, double into, double from) {
  switch (rule) {
  case DARSHAN_RULE_SUM:
  case DARSHAN_RULE_SUM_OR_UNKNOWN:
    return into + from;
  case DARSHAN_RULE_MAX:
    return from > into ? from : into;
  case DARSHAN_RULE_MIN_NONZERO:
    return from > 0 && (into <= 0 || from < into) ? from : into;
  case DARSHAN_RULE_ANY:
    return from != 0 ? from : into; /* a rank that never opened the file has no value */
  default:
    return into;
  }
}

/* Merges the maxima of a record into another one, each with its companion: the counter that belongs
 * to it, such as the size of the slowest transfer. */
static void merge_maxima(const struct darshan_merge_plan *plan, int64_t *into, double *finto,
                         const int64_t *from, const double *ffrom) {
  int companion = 0;
  for (int i = 0; i < plan->num_fcounters; i++) {
    if (plan->frules[i] != DARSHAN_RULE_MAX_WITH) continue;
    while (companion < plan->num_counters && plan->rules[companion] != DARSHAN_RULE_COMPANION)
      companion++;
    if (ffrom[i] > finto[i]) {
      finto[i] = ffrom[i];
      if (companion < plan->num_counters) into[companion] = from[companion];
    }
    companion++;
  }
}

static void merge_single(const struct darshan_merge_plan *plan, void *into, const void *from,
                         bool all_unknown) {
  int64_t *counters = darshan_record_counters(plan, into);
  double *fcounters = darshan_record_fcounters(plan, into);
  const int64_t *new = darshan_record_counters(plan, from);
  const double *fnew = darshan_record_fcounters(plan, from);
  for (int i = 0; i < plan->num_counters; i++) {
    bool unknown = all_unknown || plan->rules[i] == DARSHAN_RULE_SUM_OR_UNKNOWN;
    counters[i] = merge_counter(plan->rules[i], counters[i], new[i], unknown);
  }
  for (int i = 0; i < plan->num_fcounters; i++)
    fcounters[i] = merge_fcounter(plan->frules[i], fcounters[i], fnew[i]);
  merge_maxima(plan, counters, fcounters, new, fnew);
}

/* The rank, bytes and time of the fastest or slowest rank. */
struct extreme {
  int64_t rank, bytes;
  double time;
};

static void set_extreme(const struct darshan_merge_plan *plan, void *record,
                        struct darshan_extreme_places at, struct extreme extreme) {
  if (at.rank >= 0) darshan_record_counters(plan, record)[at.rank] = extreme.rank;
  if (at.bytes >= 0) darshan_record_counters(plan, record)[at.bytes] = extreme.bytes;
  if (at.time >= 0) darshan_record_fcounters(plan, record)[at.time] = extreme.time;
}

static struct extreme get_extreme(const struct darshan_merge_plan *plan, const void *record,
                                  struct darshan_extreme_places at) {
  return (struct extreme){at.rank < 0 ? 0 : darshan_record_counters(plan, record)[at.rank],
                          at.bytes < 0 ? 0 : darshan_record_counters(plan, record)[at.bytes],
                          at.time < 0 ? 0 : darshan_record_fcounters(plan, record)[at.time]};
}

static struct extreme own_extreme(const struct darshan_merge_plan *plan, const void *record) {
  return (struct extreme){((const struct darshan_base_record *)record)->rank,
                          darshan_record_bytes(plan, record), darshan_record_time(plan, record)};
}

/* Replaces the fastest and slowest rank of `into` if the given ones are faster or slower, or if
 * `into` has none yet (first). */
static void merge_extremes(const struct darshan_merge_plan *plan, void *into,
                           struct extreme fastest, struct extreme slowest, bool first) {
  if (first || fastest.time < get_extreme(plan, into, plan->fastest).time)
    set_extreme(plan, into, plan->fastest, fastest);
  if (first || slowest.time > get_extreme(plan, into, plan->slowest).time)
    set_extreme(plan, into, plan->slowest, slowest);
}

void darshan_merge_prepare(const struct darshan_merge_plan *plan, void *record,
                           struct darshan_spread *spread) {
  struct extreme own = own_extreme(plan, record);
  set_extreme(plan, record, plan->fastest, own);
  set_extreme(plan, record, plan->slowest, own);
  *spread = (struct darshan_spread){1, own.time, 0, (double)own.bytes, 0};
}

void darshan_merge_resume(const struct darshan_merge_plan *plan, const void *record, uint32_t ranks,
                          struct darshan_spread *spread) {
  const double *fcounters = darshan_record_fcounters(plan, record);
  double n = ranks;
  *spread = (struct darshan_spread){.n = n,
                                    .time_sum = darshan_record_time(plan, record),
                                    .bytes_sum = (double)darshan_record_bytes(plan, record)};
  if (plan->variance_time >= 0) spread->time_square = n * fcounters[plan->variance_time];
  if (plan->variance_bytes >= 0) spread->bytes_square = n * fcounters[plan->variance_bytes];
}

/* Returns the sum of squared deviations of two groups from their common mean, given the number of
 * values, their sum and their own sum of squared deviations for each group. */
static double merge_squares(double n1, double sum1, double square1, double n2, double sum2,
                            double square2) {
  double d = n2 / n1 * sum1 - sum2;
  return square1 + square2 + n1 / (n2 * (n1 + n2)) * d * d;
}

void darshan_merge_pair(const struct darshan_merge_plan *plan, void *into,
                        struct darshan_spread *into_spread, const void *from,
                        const struct darshan_spread *from_spread) {
  struct darshan_spread *a = into_spread;
  const struct darshan_spread *b = from_spread;
  merge_single(plan, into, from, false);
  darshan_top4_reduce(plan, into, from);
  merge_extremes(plan, into, get_extreme(plan, from, plan->fastest),
                 get_extreme(plan, from, plan->slowest), false);
  a->time_square =
      merge_squares(a->n, a->time_sum, a->time_square, b->n, b->time_sum, b->time_square);
  a->bytes_square =
      merge_squares(a->n, a->bytes_sum, a->bytes_square, b->n, b->bytes_sum, b->bytes_square);
  a->n += b->n;
  a->time_sum += b->time_sum;
  a->bytes_sum += b->bytes_sum;
}

void darshan_merge_finish(const struct darshan_merge_plan *plan, void *record,
                          const struct darshan_spread *spread) {
  ((struct darshan_base_record *)record)->rank = -1;
  double *fcounters = darshan_record_fcounters(plan, record);
  if (plan->variance_time >= 0) fcounters[plan->variance_time] = spread->time_square / spread->n;
  if (plan->variance_bytes >= 0) fcounters[plan->variance_bytes] = spread->bytes_square / spread->n;
}

void darshan_merge_same_rank(const struct darshan_merge_plan *plan, void *into, const void *from) {
  merge_single(plan, into, from, false);
  darshan_top4_reduce(plan, into, from);
}

/* Updates the fastest and slowest rank of a total. They have a meaning only while all records
 * are of one file: from the first record of another file on, their ranks and bytes are -1. */
static void total_extremes(const struct darshan_merge_plan *plan, struct darshan_total_state *state,
                           void *total, const void *record) {
  const struct darshan_base_record *base = record;
  bool first = !state->started;
  if (first) {
    state->id = base->id;
    state->one_id = true;
  }
  state->one_id = state->one_id && base->id == state->id;
  if (!state->one_id) {
    set_extreme(plan, total, plan->fastest, (struct extreme){-1, -1, 0});
    set_extreme(plan, total, plan->slowest, (struct extreme){-1, -1, 0});
    return;
  }
  struct extreme own = own_extreme(plan, record);
  bool shared = base->rank == -1;
  merge_extremes(plan, total, shared ? get_extreme(plan, record, plan->fastest) : own,
                 shared ? get_extreme(plan, record, plan->slowest) : own, first);
}

/* Sets counters with the rule ANY in the total to the value of this record, even 0, so that the
 * last record decides, as in version 3.5.0. */
static void total_any(const struct darshan_merge_plan *plan, void *total, const void *record) {
  int64_t *counters = darshan_record_counters(plan, total);
  double *fcounters = darshan_record_fcounters(plan, total);
  for (int i = 0; i < plan->num_counters; i++)
    if (plan->rules[i] == DARSHAN_RULE_ANY) counters[i] = darshan_record_counters(plan, record)[i];
  for (int i = 0; i < plan->num_fcounters; i++)
    if (plan->frules[i] == DARSHAN_RULE_ANY)
      fcounters[i] = darshan_record_fcounters(plan, record)[i];
}

void darshan_total_add(const struct darshan_merge_plan *plan, struct darshan_total_state *state,
                       void *total, const void *record) {
  const struct darshan_base_record *base = record;
  struct darshan_base_record *sum = total;
  merge_single(plan, total, record, plan->unknown_sums);
  total_any(plan, total, record);
  darshan_top4_total(plan, total, record);
  total_extremes(plan, state, total, record);
  if (!state->started) *sum = *base;
  if (sum->rank != base->rank) sum->rank = -1;
  if (sum->id != base->id) sum->id = 0;
  state->started = true;
}
