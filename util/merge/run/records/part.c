/* Reads the records of one part into memory (part.h). */
#include "part.h"

#include <stdio.h>

#include "../../../../runtime/format/records.h"

static int read_module(struct part *part, darshan_log *log,
                       const struct darshan_module_region *region, struct darshan_error *error) {
  const struct darshan_module *module = darshan_module_by_id(region->id);
  const void *record;
  size_t size;
  int more = 0;
  if (!module || module->kind == DARSHAN_KIND_NONE || part->count == PART_MODULES) return 0;
  struct part_module *kept = &part->modules[part->count++];
  *kept = (struct part_module){module, region->partial, part->records.n, 0};
  if (region->length == 0) return 0;
  darshan_records *records = darshan_records_open(log, region->id, error);
  if (!records) return -1;
  while ((more = darshan_records_next(records, &record, &size, error)) > 0)
    if (bytes_add(&part->records, record, size) < 0) {
      snprintf(error->text, sizeof(error->text), "cannot read the records: out of memory");
      more = -1;
      break;
    }
  darshan_records_close(records);
  kept->length = part->records.n - kept->at;
  return more;
}

int part_read(struct part *part, darshan_log *log, struct darshan_error *error) {
  const struct darshan_info *info = darshan_log_info(log);
  int result = 0;
  part->count = 0;
  part->records.n = 0;
  for (int i = 0; result == 0 && i < info->num_modules; i++)
    result = read_module(part, log, &info->modules[i], error);
  if (result < 0) part->count = 0;
  return result;
}

size_t part_record_size(const struct part_module *of, const char *record) {
  const void *head = record;
  const struct darshan_heatmap_head *heat = head;
  const struct darshan_dxt_head *trace = head;
  const struct darshan_lustre_head *layout = head;
  switch (of->module->kind) {
  case DARSHAN_KIND_COUNTERS:
  case DARSHAN_KIND_FILE_COUNTERS:
  case DARSHAN_KIND_DFS:
  case DARSHAN_KIND_DAOS:
    return of->module->record_size;
  case DARSHAN_KIND_HEATMAP:
    return sizeof(*heat) + 2 * sizeof(int64_t) * (size_t)heat->nbins;
  case DARSHAN_KIND_DXT:
    return sizeof(*trace) +
           (size_t)(trace->write_count + trace->read_count) * sizeof(struct darshan_dxt_segment);
  case DARSHAN_KIND_LUSTRE:
    return sizeof(*layout) + (size_t)layout->num_comps * sizeof(struct darshan_lustre_component) +
           (size_t)layout->num_stripes * sizeof(int64_t);
  case DARSHAN_KIND_MDHIM:
  case DARSHAN_KIND_APMPI:
  case DARSHAN_KIND_NONE:
    break;
  }
  return 0;
}

/* Returns the latest timestamp of a record in seconds; 0 if it has none. */
static double last_of(const struct darshan_module *module, const char *record) {
  const double *values =
      (const double *)(const void *)(record + module->record_size) - module->num_fcounters;
  double last = 0;
  for (const struct darshan_counter *row = module->fcounters; row->name[0]; row++)
    if (row->index >= 0 && row->unit == DARSHAN_UNIT_TIMESTAMP && values[row->index] > last)
      last = values[row->index];
  return last;
}

double part_last(const struct part *part) {
  double last = 0;
  for (int i = 0; i < part->count; i++) {
    const struct part_module *in = &part->modules[i];
    if (in->module->kind != DARSHAN_KIND_COUNTERS && in->module->kind != DARSHAN_KIND_FILE_COUNTERS)
      continue;
    for (size_t at = 0; at < in->length; at += in->module->record_size) {
      double here = last_of(in->module, part->records.at + in->at + at);
      if (here > last) last = here;
    }
  }
  return last < 4e9 ? last : 0;
}

void part_free(struct part *part) {
  bytes_free(&part->records);
}
