/* Declares a table from 64-bit keys to values of a fixed size, for sums per file and per rank. Its
 * memory grows only with the number of different keys. */
#ifndef DARSHAN_ID_TABLE_H
#define DARSHAN_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct id_table {
  size_t value_size;                 /* bytes of a value */
  size_t count, capacity, num_slots; /* keys in the table; keys that fit; slots */
  uint64_t *keys; /* keys in the order of their first use; `values` has the same order */
  char *values;
  uint32_t *slots; /* 1 + index of a key; 0: free */
};

/* Makes an empty table, which allocates nothing yet. value_size: bytes of a value. */

void id_table_init(struct id_table *table, size_t value_size);
/* Frees the memory and leaves an empty table. */
void id_table_free(struct id_table *table);

/* Returns the address of this key's value, which is zeroed for a new key. Sets *is_new to 1 for a
 * new key, otherwise to 0. The address is valid until the next call. Returns NULL if out of
 * memory. */
void *id_table_get(struct id_table *table, uint64_t key, int *is_new);
/* Returns the address of this key's value, valid until the next id_table_get; NULL if the table
 * lacks the key. */
void *id_table_find(const struct id_table *table, uint64_t key);
/* Returns the address of the value of keys[index]. index: below table->count. */

static inline void *id_table_value(const struct id_table *table, size_t index) {
  return table->values + index * table->value_size;
}

#endif
