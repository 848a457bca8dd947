/* The exported numbers of a process, or of a job and user on a file system: an array of counts and
 * nanoseconds. */
#ifndef DARSHAN_EXPORT_VALUES_H
#define DARSHAN_EXPORT_VALUES_H

#include <stdint.h>

enum export_count {
#define EXPORTED(SYMBOL, name, unit, meaning) EXPORT_##SYMBOL,
#define LAYER(SYMBOL, name)
#define OF_LAYER(MODULE, LAYER)
#define PART(EXPORTED, MODULE, COUNTER, sign)
#include "counters.def"
#undef EXPORTED
#undef LAYER
  EXPORT_COUNTS
};

enum export_layer {
#define EXPORTED(SYMBOL, name, unit, meaning)
#define LAYER(SYMBOL, name) EXPORT_LAYER_##SYMBOL,
#include "counters.def"
#undef EXPORTED
#undef LAYER
#undef OF_LAYER
#undef PART
  EXPORT_LAYERS
};

enum export_time { EXPORT_READING, EXPORT_WRITING, EXPORT_METADATA_TIME, EXPORT_TIMES };

enum { EXPORT_VALUES = EXPORT_COUNTS + EXPORT_LAYERS * EXPORT_TIMES };

struct values {
  int64_t value[EXPORT_VALUES]; /* the counts; then, for each layer, the nanoseconds of each kind */
};

struct export_count_name {
  const char *name, *unit, *meaning;
};
extern const struct export_count_name export_counts[EXPORT_COUNTS];
extern const char *const export_layers[EXPORT_LAYERS];
extern const char *const export_times[EXPORT_TIMES];

/* Returns the index in values.value of the nanoseconds that a layer spent in a kind of calls.
 * layer: enum export_layer; time: enum export_time. */
static inline int export_time_place(int layer, int time) {
  return EXPORT_COUNTS + layer * EXPORT_TIMES + time;
}

/* Returns the sum of two values that are not negative; INT64_MAX if it overflows. */
static inline int64_t export_sum(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif
