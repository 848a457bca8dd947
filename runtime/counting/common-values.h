/* The four most common values of a record (access sizes, strides): a private
 * table of up to 32 values with their counts, of which the best four stand in
 * the record, ordered by count, then by value, both descending.  Most files
 * never see a fifth value, so room for the others is taken when one comes. */
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
  struct common_value *last; /* raised last; NULL: none yet */
  struct common_value near[COMMON_VALUES_NEAR];
  struct common_value *far; /* the others; NULL: none yet */
};

/* Puts (value, count) into the four slots; values[i] and counts[i] are the
 * record's own fields. */
void common_values_show(int64_t *values, int64_t *counts, int64_t value, int64_t count);

/* Finds or adds the entry of value; NULL: table full. */
struct common_value *common_values_find(struct common_values *table, struct scratch *scratch,
                                        int64_t value);

/* Counts one occurrence.  0 is tracked (it takes a place) but never shown. */
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
    counts[0] = count; /* the leader only leads further */
  else
    common_values_show(values, counts, value, count);
}

#endif
