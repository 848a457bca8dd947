/* The four most common values of a record (access sizes, strides). A private table has up to 32
 * values with their counts. The record has the first four, in descending order of count, then of
 * value. Most files never have a fifth value, so the rest of the table is allocated when one
 * occurs. */
#ifndef DARSHAN_COMMON_VALUES_H
#define DARSHAN_COMMON_VALUES_H

#include <stdint.h>

#include "../memory/scratch.h"

enum { COMMON_VALUES_TRACKED = 32, COMMON_VALUES_SHOWN = 4, COMMON_VALUES_NEAR = 4 };

struct common_value {
  int64_t value, count;
};

struct common_values {
  uint32_t used;
  struct common_value *last; /* counted last; NULL: none yet */
  struct common_value near[COMMON_VALUES_NEAR];
  struct common_value *far; /* the other values; NULL: none yet */
};

/* Inserts (value, count) into the four slots, the record's own fields values[i] and counts[i]. */
void common_values_show(int64_t *values, int64_t *counts, int64_t value, int64_t count);

/* Finds or adds the entry of value; returns NULL if the table is full. */
struct common_value *common_values_find(struct common_values *table, struct scratch *scratch,
                                        int64_t value);

/* Counts one occurrence. The value 0 is tracked (it takes a slot) but never shown. */
static inline void common_values_count(struct common_values *table, struct scratch *scratch,
                                       int64_t *values, int64_t *counts, int64_t value) {
  struct common_value *entry = table->last;
  if (__builtin_expect(!entry || entry->value != value, 0)) {
    entry = common_values_find(table, scratch, value);
    if (!entry) return;
    table->last = entry;
  }
  int64_t count = ++entry->count;
  if (value == 0) return;
  if (__builtin_expect(values[0] == value, 1))
    counts[0] = count; /* the first stays first */
  else
    common_values_show(values, counts, value, count);
}

#endif
