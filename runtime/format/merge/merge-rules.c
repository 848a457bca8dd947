/* Makes merge plans from the tables. They are separate from describe.c, whose tables are full of
 * pointers that a loader must relocate: every process loads the runtime, but few processes merge
 * records. */
#include "merge.h"
#include "records.h"

#include <string.h>

#define EACH_TABLE "merge/merge-rows.h"
#include "modules.def"

/* Returns the index of a name in a sequence of NUL-terminated names, -1 if it is missing. */
static int index_of(const char *names, const char *name) {
  for (int i = 0; *names; names += strlen(names) + 1, i++)
    if (strcmp(names, name) == 0) return i;
  return -1;
}

/* Sets plan->kind_times to the indexes of the times by kind of call (open, close and so on), which
 * the record of a call site has in place of F_META_TIME; to -1 for other records. fnames: names of
 * the fcounters. */
static void find_kind_times(struct darshan_merge_plan *plan, const char *fnames) {
  static const char names[DARSHAN_KIND_TIMES][16] = {"F_OPEN_TIME", "F_CLOSE_TIME", "F_LOOKUP_TIME",
                                                     "F_SEEK_TIME", "F_SYNC_TIME",  "F_OTHER_TIME"};
  int has_extremes = plan->slowest.time >= 0 && plan->meta_time < 0;
  for (int i = 0; i < DARSHAN_KIND_TIMES; i++)
    plan->kind_times[i] = has_extremes ? index_of(fnames, names[i]) : -1;
}

static void find_roles(struct darshan_merge_plan *plan, const char *names, const char *fnames) {
  plan->bytes_read = index_of(names, "BYTES_READ");
  plan->bytes_written = index_of(names, "BYTES_WRITTEN");
  plan->max_byte_read = index_of(names, "MAX_BYTE_READ");
  plan->max_byte_written = index_of(names, "MAX_BYTE_WRITTEN");
  plan->fastest.rank = index_of(names, "FASTEST_RANK");
  plan->fastest.bytes = index_of(names, "FASTEST_RANK_BYTES");
  plan->slowest.rank = index_of(names, "SLOWEST_RANK");
  plan->slowest.bytes = index_of(names, "SLOWEST_RANK_BYTES");
  plan->read_time = index_of(fnames, "F_READ_TIME");
  plan->write_time = index_of(fnames, "F_WRITE_TIME");
  plan->meta_time = index_of(fnames, "F_META_TIME");
  plan->fastest.time = index_of(fnames, "F_FASTEST_RANK_TIME");
  plan->slowest.time = index_of(fnames, "F_SLOWEST_RANK_TIME");
  plan->variance_time = index_of(fnames, "F_VARIANCE_RANK_TIME");
  plan->variance_bytes = index_of(fnames, "F_VARIANCE_RANK_BYTES");
  find_kind_times(plan, fnames);
}

static void fill(struct darshan_merge_plan *plan, const unsigned char *rules, int num_counters,
                 const unsigned char *frules, int num_fcounters) {
  plan->rules = rules;
  plan->frules = frules;
  plan->num_counters = num_counters;
  plan->num_fcounters = num_fcounters;
  for (int i = 0; i < num_counters; i++)
    plan->unknown_sums |= rules[i] == DARSHAN_RULE_SUM_OR_UNKNOWN;
}

/* Fills a plan. before, behind: bytes before and after the counters in a record of this kind. */
#define PLAN(PREFIX, before, behind)                                                               \
  fill(plan, PREFIX##_rules, PREFIX##_NUM_COUNTERS, PREFIX##_frules, PREFIX##_NUM_FCOUNTERS);      \
  find_roles(plan, PREFIX##_names, PREFIX##_fnames);                                               \
  shape(plan, before, behind);                                                                     \
  return true
#define PLAN_COUNTERS(PREFIX) PLAN(PREFIX, 0, 0)
#define PLAN_FILE_COUNTERS(PREFIX) PLAN(PREFIX, sizeof(uint64_t), 0)
#define PLAN_DFS(PREFIX) PLAN(PREFIX, 0, 2 * 16)
#define PLAN_DAOS(PREFIX) PLAN(PREFIX, 0, 2 * 16 + 2 * sizeof(uint64_t))
#define PLAN_MDHIM(PREFIX) return false
#define PLAN_LUSTRE(PREFIX) return false
#define PLAN_DXT(PREFIX) return false
#define PLAN_HEATMAP(PREFIX) return false
#define PLAN_APMPI(PREFIX) return false
#define PLAN_NONE(PREFIX) return false

static void shape(struct darshan_merge_plan *plan, size_t before, size_t behind) {
  plan->counters_at = sizeof(struct darshan_base_record) + before;
  plan->fcounters_at = plan->counters_at + (size_t)plan->num_counters * sizeof(int64_t);
  plan->record_size = plan->fcounters_at + (size_t)plan->num_fcounters * sizeof(double) + behind;
}

bool darshan_merge_plan_of(struct darshan_merge_plan *plan, int module) {
  *plan = (struct darshan_merge_plan){.id = module};
  find_roles(plan, "", "");
  shape(plan, 0, 0);
  switch (module) {
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  case id:                                                                                         \
    PLAN_##KIND(SYMBOL);
#include "modules.def"
  default:
    return false;
  }
}

void darshan_merge_plan_make(struct darshan_merge_plan *plan, const struct darshan_module *module) {
  darshan_merge_plan_of(plan, module->id);
  plan->module = module;
}

#define UNITS_COUNTERS(PREFIX)                                                                     \
  *count = PREFIX##_NUM_FCOUNTERS;                                                                 \
  return PREFIX##_funits
#define UNITS_FILE_COUNTERS(PREFIX) UNITS_COUNTERS(PREFIX)
#define UNITS_DFS(PREFIX) return NULL
#define UNITS_DAOS(PREFIX) return NULL
#define UNITS_MDHIM(PREFIX) return NULL
#define UNITS_LUSTRE(PREFIX) return NULL
#define UNITS_DXT(PREFIX) return NULL
#define UNITS_HEATMAP(PREFIX) return NULL
#define UNITS_APMPI(PREFIX) return NULL
#define UNITS_NONE(PREFIX) return NULL

const unsigned char *darshan_fcounter_units(int module, int *count) {
  *count = 0;
  switch (module) {
#define MODULE(id, SYMBOL, name, tag, version, KIND, bytes)                                        \
  case id:                                                                                         \
    UNITS_##KIND(SYMBOL);
#include "modules.def"
  default:
    return NULL;
  }
}
