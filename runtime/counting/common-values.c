/* The table of the most common values of a record (common-values.h). */
#include "common-values.h"

static struct common_value *entry_of(struct common_values *table, uint32_t number) {
  if (number < COMMON_VALUES_NEAR) return &table->near[number];
  return &table->far[number - COMMON_VALUES_NEAR];
}

struct common_value *common_values_find(struct common_values *table, struct scratch *scratch,
                                        int64_t value) {
  for (uint32_t i = 0; i < table->used; i++)
    if (entry_of(table, i)->value == value) return entry_of(table, i);
  if (table->used == COMMON_VALUES_TRACKED) return NULL;
  if (table->used == COMMON_VALUES_NEAR && !table->far) {
    table->far = scratch_take(scratch, (COMMON_VALUES_TRACKED - COMMON_VALUES_NEAR) *
                                           sizeof(struct common_value));
    if (!table->far) return NULL;
  }
  struct common_value *entry = entry_of(table, table->used++);
  *entry = (struct common_value){value, 0};
  return entry;
}

void common_values_show(int64_t *values, int64_t *counts, int64_t value, int64_t count) {
  int64_t old_values[COMMON_VALUES_SHOWN], old_counts[COMMON_VALUES_SHOWN];
  int place = 0;
  while (place < COMMON_VALUES_SHOWN &&
         (counts[place] > count || (counts[place] == count && values[place] > value)))
    place++;
  if (place == COMMON_VALUES_SHOWN) return;
  for (int i = 0; i < COMMON_VALUES_SHOWN; i++) {
    old_values[i] = values[i];
    old_counts[i] = counts[i];
  }
  values[place] = value;
  counts[place] = count;
  int to = place + 1;
  for (int from = place; from < COMMON_VALUES_SHOWN && to < COMMON_VALUES_SHOWN; from++) {
    if (old_values[from] == value) continue;
    values[to] = old_values[from];
    counts[to] = old_counts[from];
    to++;
  }
}
