/* The four most common values of a record (access sizes, strides): a private
 * table of up to 32 values with their counts, of which the best four stand in
 * the record, ordered by count, then by value, both descending. */
#ifndef DARSHAN_COMMON_VALUES_H
#define DARSHAN_COMMON_VALUES_H

#include <stdint.h>

enum { COMMON_VALUES_TRACKED = 32, COMMON_VALUES_SHOWN = 4 };

struct common_values {
  uint32_t used;
  uint32_t last; /* entry that was raised last */
  int64_t value[COMMON_VALUES_TRACKED];
  int64_t count[COMMON_VALUES_TRACKED];
};

/* Puts (value, count) into the four slots; values[i] and counts[i] are the
 * record's own fields. */
void common_values_show(int64_t *values, int64_t *counts, int64_t value, int64_t count);

/* Finds or adds the entry of value; -1: table full. */
int common_values_find(struct common_values *table, int64_t value);

/* Counts one occurrence.  0 is tracked (it takes a place) but never shown. */
static inline void common_values_count(struct common_values *table, int64_t *values,
                                       int64_t *counts, int64_t value) {
  unsigned entry = table->last;
  if (__builtin_expect(table->used == 0 || table->value[entry] != value, 0)) {
    int found = common_values_find(table, value);
    if (found < 0) return;
    entry = table->last = (unsigned)found;
  }
  int64_t count = ++table->count[entry];
  if (value == 0) return;
  if (__builtin_expect(values[0] == value, 1))
    counts[0] = count; /* the leader only leads further */
  else
    common_values_show(values, counts, value, count);
}

#endif
