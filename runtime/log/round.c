#include "round.h"

#include "records.h"

/* Which fcounters are points in time: from the tables. */
enum { TIME_SECONDS, TIME_TIMESTAMP, TIME_NONE };
#define EACH_TABLE "../log/round-rows.h"
#include "modules.def"

static const double per_second[] = {[TIME_SECONDS] = 1 << 27, [TIME_TIMESTAMP] = 1 << 20};

static void round_one(double *value, unsigned char kind) {
  if (*value == 0 || kind == TIME_NONE || !(*value < 4e9 && *value > -4e9)) return;
  double half = *value < 0 ? -0.5 : 0.5;
  int64_t units = (int64_t)(*value * per_second[kind] + half);
  /* 0 means "never": what happened stays above it. */
  if (units == 0 && *value > 0) units = 1;
  *value = (double)units / per_second[kind];
}

static void round_region(struct record_store *store, enum store_module module,
                         const unsigned char *kinds, size_t fcounters) {
  const struct store_region *region = &store->regions[module];
  for (uint32_t number = 1; number <= region->count; number++) {
    char *end = (char *)store_record(store, module, number) + region->record_size;
    double *values = (double *)(void *)(end - fcounters * sizeof(double));
    for (size_t i = 0; i < fcounters; i++)
      round_one(&values[i], kinds[i]);
  }
}

/* Heat maps have no such counters. */
enum { HEATMAP_NUM_FCOUNTERS };
static const unsigned char HEATMAP_times[] = {TIME_NONE};

void log_round_times(struct record_store *store) {
#define RECORDS(SYMBOL, type, of, limit)                                                           \
  round_region(store, STORE_##SYMBOL, SYMBOL##_times, SYMBOL##_NUM_FCOUNTERS);
#define ANNEX_RECORDS(SYMBOL, type, limit)                                                         \
  round_region(store, STORE_##SYMBOL, SYMBOL##_times, SYMBOL##_NUM_FCOUNTERS);
#include "modules.def"
}
