/* Combines the records of all programs of a rank into the records that a single process would have:
 * times on the run's clock, one record per file (combine.h). */
#include "combine.h"

#include <math.h>

#include "../../../../runtime/format/records.h"
#include "../../../../runtime/modules/heatmap/records.h"
#include "combined-module.h"

/* --- times on the run's clock ---------------------------------------------------------- */

/* Returns time + shift in seconds, rounded like the runtime's times (log/round.c). Returns a time
 * of 0 unchanged, because it means "never". */
static double moved(double time, double shift) {
  const double per_second = 1 << 20;
  if (!(time > 0) || !(time + shift < 4e9)) return time;
  return round((time + shift) * per_second) / per_second;
}

/* Adds `shift` seconds to all timestamps of a record. */
static void move_times(const struct darshan_module *module, const struct darshan_merge_plan *plan,
                       void *record, double shift) {
  double *values = darshan_record_fcounters(plan, record);
  for (const struct darshan_counter *row = module->fcounters; row->name[0]; row++)
    if (row->index >= 0 && row->unit == DARSHAN_UNIT_TIMESTAMP)
      values[row->index] = moved(values[row->index], shift);
}

/* --- one record per file --------------------------------------------------------------- */

/* Returns the record with this id. If no record has it, returns NULL; *place is then the address at
 * which the caller stores the offset of a record that it adds, or NULL if out of memory. */
static char *known_record(struct combined_module *into, uint64_t id, int64_t **place) {
  *place = map_at(&into->by_id, id);
  return *place && **place >= 0 ? into->records.at + **place : NULL;
}

/* Appends a record. place: of known_record. Returns 0, or -1 if out of memory. */
static int add_new(struct combined_module *into, int64_t *place, const void *record, size_t size) {
  *place = (int64_t)into->records.n;
  return bytes_add(&into->records, record, size);
}

/* Adds records of counters; the records of a file that is known are summed by the merge rules of
 * the counters. Returns 0, or -1 if out of memory. */
static int add_counters(struct combined_module *into, const struct part_module *from, char *records,
                        const struct combine_clock *clock) {
  struct darshan_merge_plan plan;
  darshan_merge_plan_make(&plan, from->module);
  for (size_t at = 0; at < from->length; at += plan.record_size) {
    int64_t *place;
    uint64_t id = ((struct darshan_base_record *)(void *)(records + at))->id;
    move_times(from->module, &plan, records + at, clock->shift);
    char *known = known_record(into, id, &place);
    if (known)
      darshan_merge_same_rank(&plan, known, records + at);
    else if (!place || add_new(into, place, records + at, plan.record_size) < 0)
      return -1;
  }
  return 0;
}

/* Adds heat maps on the grid of the run. Returns 0, or -1 if out of memory. */
static int add_heat(struct combined_module *into, const struct part_module *from,
                    const char *records, const struct combine_clock *clock) {
  const struct heat_grid *grid = &clock->grid;
  size_t bins = (size_t)grid->bins, size = sizeof(struct darshan_heatmap_head) + 16 * bins;
  for (size_t at = 0; at < from->length;) {
    const struct darshan_heatmap_head *head = (const void *)(records + at);
    const int64_t *values = (const int64_t *)(const void *)(head + 1);
    int64_t *place;
    char *known = known_record(into, head->base.id, &place);
    if (!known) {
      if (!place) return -1;
      *place = (int64_t)into->records.n;
      if (!(known = bytes_more(&into->records, size))) return -1;
      memset(known, 0, size);
      struct darshan_heatmap_head mine = {
          .base = head->base, .bin_width_seconds = grid->width, .nbins = grid->bins};
      memcpy(known, &mine, sizeof(mine));
    }
    int64_t *written = (int64_t *)(void *)(known + sizeof(*head));
    heat_add(grid, written, values, head->nbins, head->bin_width_seconds, clock->shift, clock->end);
    heat_add(grid, written + bins, values + head->nbins, head->nbins, head->bin_width_seconds,
             clock->shift, clock->end);
    at += sizeof(*head) + 16 * (size_t)head->nbins;
  }
  return 0;
}

/* Adds the LUSTRE records of files that have none yet. Skips later records of a file, because all
 * programs found the same layout. Returns 0, or -1 if out of memory. */
static int add_layouts(struct combined_module *into, const struct part_module *from,
                       const char *records) {
  for (size_t at = 0; at < from->length;) {
    const struct darshan_lustre_head *head = (const void *)(records + at);
    size_t size = sizeof(*head) +
                  (size_t)head->num_comps * sizeof(struct darshan_lustre_component) +
                  (size_t)head->num_stripes * sizeof(int64_t);
    int64_t *place;
    if (!known_record(into, head->base.id, &place) &&
        (!place || add_new(into, place, head, size) < 0))
      return -1;
    at += size;
  }
  return 0;
}

/* Adds the records of module `number` of a part. Returns 0, or -1 if out of memory. */
static int add_module(struct combined *combined, struct part *part, int number,
                      const struct combine_clock *clock) {
  const struct part_module *from = &part->modules[number];
  int id = from->module->id;
  if (id < 0 || id >= PART_MODULES) return 0;
  struct combined_module *into = &combined->modules[id];
  char *records = part->records.at + from->at;
  into->partial |= from->partial;
  switch (from->module->kind) {
  case DARSHAN_KIND_COUNTERS:
  case DARSHAN_KIND_FILE_COUNTERS:
  case DARSHAN_KIND_DFS:
  case DARSHAN_KIND_DAOS:
    if (id == DARSHAN_MOD_SHARED || id == DARSHAN_MOD_PROCESS)
      return 0; /* the merger makes these records for the whole log */
    return add_counters(into, from, records, clock);
  case DARSHAN_KIND_HEATMAP:
    return add_heat(into, from, records, clock);
  case DARSHAN_KIND_DXT:
    return traces_add(into, from, records, clock->shift);
  case DARSHAN_KIND_LUSTRE:
    return add_layouts(into, from, records);
  case DARSHAN_KIND_MDHIM:
  case DARSHAN_KIND_APMPI:
  case DARSHAN_KIND_NONE:
    break;
  }
  return 0;
}

/* --- all modules --------------------------------------------------------------------------- */

int combined_add(struct combined *combined, struct part *part, const struct combine_clock *clock) {
  for (int i = 0; i < part->count; i++)
    if (add_module(combined, part, i, clock) < 0) return -1;
  return 0;
}

int combined_name(struct combined *combined, uint64_t id, const char *name) {
  int64_t *known = map_at(&combined->known, id);
  if (!known) return -1;
  if (*known >= 0) return 0;
  *known = (int64_t)combined->names.n;
  return bytes_add(&combined->names, &id, sizeof(id)) < 0 ||
                 bytes_add(&combined->names, name, strlen(name) + 1) < 0
             ? -1
             : 0;
}

int combined_record(struct combined *combined, int module, const void *record, size_t size) {
  return bytes_add(&combined->modules[module].records, record, size);
}

static size_t size_at(const struct combined_module *of, const struct darshan_module *module,
                      const char *record) {
  if (module->kind == DARSHAN_KIND_HEATMAP)
    return sizeof(struct darshan_heatmap_head) +
           16 * (size_t)((const struct darshan_heatmap_head *)(const void *)record)->nbins;
  if (module->kind == DARSHAN_KIND_DXT) return trace_size(of, record);
  if (module->kind != DARSHAN_KIND_LUSTRE) return module->record_size;
  const struct darshan_lustre_head *head = (const void *)record;
  return sizeof(*head) + (size_t)head->num_comps * sizeof(struct darshan_lustre_component) +
         (size_t)head->num_stripes * sizeof(int64_t);
}

int combined_finish(struct combined *combined, int64_t rank) {
  combined->content =
      (struct log_content){.names = combined->names.at, .names_length = combined->names.n};
  for (int id = 0; id < PART_MODULES; id++) {
    struct combined_module *of = &combined->modules[id];
    if (of->num_traces && traces_finish(of) < 0) return -1;
    if (of->records.n == 0) continue;
    const struct darshan_module *module = darshan_module_by_id(id);
    for (size_t at = 0; at < of->records.n; at += size_at(of, module, of->records.at + at))
      ((struct darshan_base_record *)(void *)(of->records.at + at))->rank = rank;
    struct log_part part = {.module = id,
                            .partial = of->partial,
                            .version = module->kind == DARSHAN_KIND_DXT ? trace_version(of, id)
                                                                        : (uint32_t)module->version,
                            .records = of->records.at,
                            .length = of->records.n};
    log_content_add(&combined->content, &part);
  }
  return 0;
}

void combined_clear(struct combined *combined) {
  combined->names.n = 0;
  map_clear(&combined->known);
  for (int id = 0; id < PART_MODULES; id++) {
    struct combined_module *module = &combined->modules[id];
    module->records.n = 0;
    module->partial = 0;
    map_clear(&module->by_id);
    traces_clear(module);
  }
}

void combined_free(struct combined *combined) {
  combined_clear(combined);
  bytes_free(&combined->names);
  map_free(&combined->known);
  for (int id = 0; id < PART_MODULES; id++) {
    bytes_free(&combined->modules[id].records);
    map_free(&combined->modules[id].by_id);
    free(combined->modules[id].traces);
  }
  *combined = (struct combined){.names = {NULL, 0, 0}};
}

static const double least_width = 0.1; /* smallest bin width, seconds */

struct heat_grid heat_grid_of(double seconds) {
  struct heat_grid grid = {least_width, 1};
  while (seconds / grid.width > HEATMAP_BINS)
    grid.width *= 2;
  if (seconds > grid.width) grid.bins = (int64_t)ceil(seconds / grid.width);
  return grid;
}

/* Returns the index of the bin that contains a time in seconds; the first or last bin for a time
 * outside of the grid. */
static int64_t bin_at(const struct heat_grid *grid, double time) {
  double bin = floor(time / grid->width);
  if (!(bin > 0)) return 0;
  return bin < (double)grid->bins ? (int64_t)bin : grid->bins - 1;
}

static void put(int64_t *bin, int64_t bytes) {
  *bin = (int64_t)((uint64_t)*bin + (uint64_t)bytes);
}

/* Returns the bytes of a bin that belong to its first part. share: size of this part relative to
 * the bin's time (0 to 1). */
static int64_t until(int64_t bytes, double share) {
  double part = floor((double)bytes * share);
  if (!(share < 1) || part >= (double)bytes) return bytes;
  return part > 0 ? (int64_t)part : 0;
}

/* Distributes bytes that were moved evenly between two times, in seconds, over the bins. */
static void share_out(const struct heat_grid *grid, int64_t *into, int64_t bytes, double from,
                      double to) {
  int64_t first = bin_at(grid, from), last = bin_at(grid, to), done = 0;
  if (last > first && (double)last * grid->width >= to)
    last--; /* the bytes end at the edge of the bin */
  for (int64_t bin = first; bin < last; bin++) {
    int64_t here = until(bytes, ((double)(bin + 1) * grid->width - from) / (to - from));
    put(&into[bin], here - done);
    done = here;
  }
  put(&into[last > first ? last : first], bytes - done);
}

void heat_add(const struct heat_grid *grid, int64_t *into, const int64_t *from, int64_t n,
              double width, double shift, double end) {
  for (int64_t i = 0; i < n; i++) {
    if (from[i] == 0) continue;
    double begin = shift + (double)i * width, stop = begin + width;
    if (end < stop) stop = end;
    if (from[i] < 0 || !(stop > begin) || !(width < 4e9))
      put(&into[bin_at(grid, begin)], from[i]);
    else
      share_out(grid, into, from[i], begin, stop);
  }
}
