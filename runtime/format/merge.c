/* The rules of merge.h; merge-top4.c has those of the most common values. */
#include "merge.h"

#include "merge-top4.h"

#include <string.h>

static int index_of(const struct darshan_counter *rows, const char *prefixless) {
  size_t tail = strlen(prefixless);
  for (const struct darshan_counter *row = rows; row->name; row++) {
    size_t length = strlen(row->name);
    if (row->index >= 0 && length > tail && row->name[length - tail - 1] == '_' &&
        strcmp(row->name + length - tail, prefixless) == 0)
      return row->index;
  }
  return -1;
}

void darshan_merge_plan_make(struct darshan_merge_plan *plan, const struct darshan_module *module) {
  memset(plan, 0, sizeof(*plan));
  plan->module = module;
  plan->counters_at = sizeof(struct darshan_base_record);
  if (module->kind == DARSHAN_KIND_FILE_COUNTERS) plan->counters_at += sizeof(uint64_t);
  plan->fcounters_at = plan->counters_at + (size_t)module->num_counters * sizeof(int64_t);
  plan->bytes_read = index_of(module->counters, "BYTES_READ");
  plan->bytes_written = index_of(module->counters, "BYTES_WRITTEN");
  plan->max_byte_read = index_of(module->counters, "MAX_BYTE_READ");
  plan->max_byte_written = index_of(module->counters, "MAX_BYTE_WRITTEN");
  plan->read_time = index_of(module->fcounters, "F_READ_TIME");
  plan->write_time = index_of(module->fcounters, "F_WRITE_TIME");
  plan->meta_time = index_of(module->fcounters, "F_META_TIME");
  plan->fastest_time = index_of(module->fcounters, "F_FASTEST_RANK_TIME");
  plan->slowest_time = index_of(module->fcounters, "F_SLOWEST_RANK_TIME");
  for (const struct darshan_counter *row = module->counters; row->name; row++)
    plan->unknown_sums |= row->rule == DARSHAN_RULE_SUM_OR_UNKNOWN;
}

int64_t *darshan_record_counters(const struct darshan_merge_plan *plan, const void *record) {
  return (int64_t *)(void *)((char *)(uintptr_t)record + plan->counters_at);
}

double *darshan_record_fcounters(const struct darshan_merge_plan *plan, const void *record) {
  return (double *)(void *)((char *)(uintptr_t)record + plan->fcounters_at);
}

/* Sums wrap: counters of a damaged log must not be undefined behaviour. */
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
  return (plan->meta_time < 0 ? 0 : fcounters[plan->meta_time]) + transfers;
}

/* The rules that look at one counter alone; unknown: negative sums become -1. */
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
  case DARSHAN_RULE_ANY:
    return from;
  default:
    return into; /* merged together with others, below */
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
    return from;
  default:
    return into;
  }
}

/* The n-th maximum takes the n-th companion along. */
static void merge_maxima(const struct darshan_module *module, int64_t *into, double *finto,
                         const int64_t *from, const double *ffrom) {
  const struct darshan_counter *companion = module->counters;
  for (const struct darshan_counter *row = module->fcounters; row->name; row++) {
    if (row->rule != DARSHAN_RULE_MAX_WITH) continue;
    while (companion->name && companion->rule != DARSHAN_RULE_COMPANION)
      companion++;
    if (ffrom[row->index] > finto[row->index]) {
      finto[row->index] = ffrom[row->index];
      if (companion->name) into[companion->index] = from[companion->index];
    }
    if (companion->name) companion++;
  }
}

static void merge_single(const struct darshan_merge_plan *plan, void *into, const void *from,
                         bool all_unknown) {
  const struct darshan_module *module = plan->module;
  int64_t *counters = darshan_record_counters(plan, into);
  double *fcounters = darshan_record_fcounters(plan, into);
  const int64_t *new = darshan_record_counters(plan, from);
  const double *fnew = darshan_record_fcounters(plan, from);
  for (const struct darshan_counter *row = module->counters; row->name; row++) {
    if (row->index < 0) continue;
    bool unknown = all_unknown || row->rule == DARSHAN_RULE_SUM_OR_UNKNOWN;
    counters[row->index] = merge_counter(row->rule, counters[row->index], new[row->index], unknown);
  }
  for (const struct darshan_counter *row = module->fcounters; row->name; row++)
    if (row->index >= 0)
      fcounters[row->index] = merge_fcounter(row->rule, fcounters[row->index], fnew[row->index]);
  merge_maxima(module, counters, fcounters, new, fnew);
}

/* Who was fastest or slowest: one rank, its bytes and its time. */
struct extreme {
  int64_t rank, bytes;
  double time;
};

/* The fields of a rule are told apart by their units. */
static void set_extreme(const struct darshan_merge_plan *plan, void *record, enum darshan_rule rule,
                        struct extreme extreme) {
  int64_t *counters = darshan_record_counters(plan, record);
  double *fcounters = darshan_record_fcounters(plan, record);
  for (const struct darshan_counter *row = plan->module->counters; row->name; row++)
    if (row->rule == rule)
      counters[row->index] = row->unit == DARSHAN_UNIT_RANK ? extreme.rank : extreme.bytes;
  for (const struct darshan_counter *row = plan->module->fcounters; row->name; row++)
    if (row->rule == rule) fcounters[row->index] = extreme.time;
}

static struct extreme get_extreme(const struct darshan_merge_plan *plan, const void *record,
                                  enum darshan_rule rule) {
  struct extreme extreme = {0, 0, 0};
  const int64_t *counters = darshan_record_counters(plan, record);
  const double *fcounters = darshan_record_fcounters(plan, record);
  for (const struct darshan_counter *row = plan->module->counters; row->name; row++)
    if (row->rule == rule)
      *(row->unit == DARSHAN_UNIT_RANK ? &extreme.rank : &extreme.bytes) = counters[row->index];
  for (const struct darshan_counter *row = plan->module->fcounters; row->name; row++)
    if (row->rule == rule) extreme.time = fcounters[row->index];
  return extreme;
}

static struct extreme own_extreme(const struct darshan_merge_plan *plan, const void *record) {
  return (struct extreme){((const struct darshan_base_record *)record)->rank,
                          darshan_record_bytes(plan, record), darshan_record_time(plan, record)};
}

static bool beats(enum darshan_rule rule, struct extreme a, struct extreme b) {
  return rule == DARSHAN_RULE_FASTEST ? a.time < b.time : a.time > b.time;
}

static const enum darshan_rule extremes[] = {DARSHAN_RULE_FASTEST, DARSHAN_RULE_SLOWEST};

void darshan_merge_prepare(const struct darshan_merge_plan *plan, void *record,
                           struct darshan_spread *spread) {
  struct extreme own = own_extreme(plan, record);
  set_extreme(plan, record, DARSHAN_RULE_FASTEST, own);
  set_extreme(plan, record, DARSHAN_RULE_SLOWEST, own);
  *spread = (struct darshan_spread){1, own.time, 0, (double)own.bytes, 0};
}

/* Squared deviations of two groups around their common mean. */
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
  for (int i = 0; i < 2; i++) {
    struct extreme other = get_extreme(plan, from, extremes[i]);
    if (beats(extremes[i], other, get_extreme(plan, into, extremes[i])))
      set_extreme(plan, into, extremes[i], other);
  }
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
  for (const struct darshan_counter *row = plan->module->fcounters; row->name; row++) {
    if (row->rule == DARSHAN_RULE_VARIANCE_TIME)
      fcounters[row->index] = spread->time_square / spread->n;
    if (row->rule == DARSHAN_RULE_VARIANCE_BYTES)
      fcounters[row->index] = spread->bytes_square / spread->n;
  }
}

/* Fastest and slowest mean something only while all records are of one file. */
static void total_extremes(const struct darshan_merge_plan *plan, struct darshan_total_state *state,
                           void *total, const void *record) {
  const struct darshan_base_record *base = record;
  bool first = !state->started;
  if (first) {
    state->id = base->id;
    state->one_id = true;
  }
  state->one_id = state->one_id && base->id == state->id;
  for (int i = 0; i < 2; i++) {
    struct extreme extreme =
        base->rank == -1 ? get_extreme(plan, record, extremes[i]) : own_extreme(plan, record);
    if (!state->one_id)
      set_extreme(plan, total, extremes[i], (struct extreme){-1, -1, 0});
    else if (first || beats(extremes[i], extreme, get_extreme(plan, total, extremes[i])))
      set_extreme(plan, total, extremes[i], extreme);
  }
}

void darshan_total_add(const struct darshan_merge_plan *plan, struct darshan_total_state *state,
                       void *total, const void *record) {
  const struct darshan_base_record *base = record;
  struct darshan_base_record *sum = total;
  merge_single(plan, total, record, plan->unknown_sums);
  darshan_top4_total(plan, total, record);
  total_extremes(plan, state, total, record);
  if (!state->started) *sum = *base;
  if (sum->rank != base->rank) sum->rank = -1;
  if (sum->id != base->id) sum->id = 0;
  state->started = true;
}
