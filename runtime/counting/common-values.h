/* The four most common values of a record (access sizes, strides). A record stores four values with
 * their counts, in descending order of count, then of value. A private table behind it counts up to
 * 32 values. Most files never have a fifth value, so entries for more than four are allocated when
 * one occurs. */
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
  struct common_value *far; /* entries of further values; NULL: none yet */
};

/* Inserts the value with its count into the record's four slots, values[i] and counts[i], in
 * descending order of count, then of value. Drops the last slot if all are in use. */
void common_values_show(int64_t *values, int64_t *counts, int64_t value, int64_t count);

/* Finds the entry of the value, or adds one. Returns NULL if the table is full or out of memory. */
struct common_value *common_values_find(struct common_values *table, struct scratch *scratch,
                                        int64_t value);

/* Counts one occurrence of the value in the table and in the record. The value 0 is tracked (it
 * takes an entry of the table) but never shown in the record. The caller holds the record's
 * lock. */
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
    counts[0] = count; /* the slot of the first value stays first */
  else
    common_values_show(values, counts, value, count);
}

#endif
