/* Totals of a module, and the common functions of all sums. */
#include "summary.h"

#include <stdlib.h>
#include <string.h>

bool summary_has_io(const struct darshan_module *module) {
  bool has_times = false;
  for (const struct darshan_counter *row = module->fcounters; row->name[0]; row++)
    has_times |= row->rule == DARSHAN_RULE_SLOWEST;
  return has_times && module->id < DARSHAN_MAX_MODULES &&
         module->kind != DARSHAN_KIND_FILE_COUNTERS;
}

bool summary_has_totals(const struct darshan_module *module) {
  bool in_annex = module->id >= DARSHAN_MAX_MODULES && module->kind == DARSHAN_KIND_COUNTERS;
  return in_annex || summary_has_io(module);
}

int summary_open(struct summary *summary, const struct darshan_module *module,
                 struct summary_options want) {
  memset(summary, 0, sizeof(*summary));
  bool has_io = summary_has_io(module);
  summary->want.total = want.total && summary_has_totals(module);
  summary->want.file = want.file && has_io;
  summary->want.perf = want.perf && has_io;
  darshan_merge_plan_make(&summary->plan, module);
  id_table_init(&summary->files, summary_file_value);
  id_table_init(&summary->ranks, summary_perf_value);
  summary->total = calloc(1, module->record_size + sizeof(uint64_t));
  return summary->total ? 0 : -1;
}

int summary_add(struct summary *summary, const void *record) {
  if (summary->want.total)
    darshan_total_add(&summary->plan, &summary->total_state, summary->total, record);
  if (summary->want.file && summary_file_add(summary, record) != 0) return -1;
  if (summary->want.perf && summary_perf_add(summary, record) != 0) return -1;
  return 0;
}

void summary_close(struct summary *summary) {
  free(summary->total);
  id_table_free(&summary->files);
  id_table_free(&summary->ranks);
}
