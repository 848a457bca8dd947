/* Rounds the times of all records in place (log_round_times in compose.h). */
#include "compose.h"

#include "merge/merge.h"

/* Returns the steps per second to which values of a unit are rounded, 0 if they are not rounded. */
static double steps(enum darshan_unit unit) {
  return unit == DARSHAN_UNIT_SECONDS ? 1 << 27 : unit == DARSHAN_UNIT_TIMESTAMP ? 1 << 20 : 0;
}

static void round_one(double *value, double per_second) {
  if (per_second == 0 || !(*value < 4e9 && *value > -4e9)) return;
  double half = *value < 0 ? -0.5 : 0.5;
  int64_t units = (int64_t)(*value * per_second + half);
  /* A positive time must not become 0, which means "never". */
  if (units == 0 && *value > 0) units = 1;
  *value = (double)units / per_second;
}

static void round_region(struct record_store *store, enum store_module module) {
  const struct store_region *region = &store->regions[module];
  int fcounters;
  const unsigned char *units = darshan_fcounter_units(region->module_id, &fcounters);
  if (!units) return;
  for (uint32_t number = 1; number <= region->count; number++) {
    char *end = (char *)store_record(store, module, number) + region->record_size;
    double *values = (double *)(void *)end - fcounters;
    for (int i = 0; i < fcounters; i++)
      if (values[i] != 0) round_one(&values[i], steps(units[i]));
  }
}

void log_round_times(struct record_store *store) {
  for (int module = 0; module < STORE_MODULES; module++)
    round_region(store, (enum store_module)module);
}
