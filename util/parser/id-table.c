/* Implements a hash table with open addressing; its slots contain indexes (id-table.h). */
#include "id-table.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void id_table_init(struct id_table *table, size_t value_size) {
  memset(table, 0, sizeof(*table));
  table->value_size = value_size;
}

void id_table_free(struct id_table *table) {
  free(table->keys);
  free(table->values);
  free(table->slots);
  id_table_init(table, table->value_size);
}

static uint32_t *slot_of(const struct id_table *table, uint64_t key) {
  size_t mask = table->num_slots - 1;
  size_t i = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & mask;
  while (table->slots[i] && table->keys[table->slots[i] - 1] != key)
    i = (i + 1) & mask;
  return &table->slots[i];
}

/* Doubles the capacity of keys, values and slots. Half of the slots stay free. Returns 0, or -1 if
 * out of memory. */
static int grow(struct id_table *table) {
  size_t capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY;
  uint64_t *keys = realloc(table->keys, capacity * sizeof(*keys));
  if (keys) table->keys = keys;
  char *values = realloc(table->values, capacity * table->value_size);
  if (values) table->values = values;
  uint32_t *slots = calloc(2 * capacity, sizeof(*slots));
  if (!keys || !values || !slots || capacity > UINT32_MAX / 2) {
    free(slots);
    return -1;
  }
  free(table->slots);
  table->slots = slots;
  table->num_slots = 2 * capacity;
  table->capacity = capacity;
  for (size_t i = 0; i < table->count; i++)
    *slot_of(table, table->keys[i]) = (uint32_t)i + 1;
  return 0;
}

void *id_table_get(struct id_table *table, uint64_t key, int *is_new) {
  if (table->count == table->capacity && grow(table) != 0) return NULL;
  uint32_t *slot = slot_of(table, key);
  *is_new = *slot == 0;
  if (*is_new) {
    table->keys[table->count] = key;
    memset(table->values + table->count * table->value_size, 0, table->value_size);
    *slot = (uint32_t)++table->count;
  }
  return id_table_value(table, *slot - 1);
}

void *id_table_find(const struct id_table *table, uint64_t key) {
  uint32_t slot = table->num_slots > 0 ? *slot_of(table, key) : 0;
  return slot ? id_table_value(table, slot - 1) : NULL;
}
