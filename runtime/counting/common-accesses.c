/* Counts how often each access of an object occurs (an access: a transfer's bytes, lengths and
 * strides), and stores the four most common ones in the object's record. */
#include "common-accesses.h"

#include <string.h>

enum { BYTES = ACCESS_FIELDS * sizeof(int64_t) };

static int same(const int64_t *a, const int64_t *b) {
  return memcmp(a, b, BYTES) == 0;
}

/* Inserts the access with its count into the four slots of the record, in descending order of
 * count, then of size. An older entry of this access is removed. values, counts: the slots, as in
 * common_accesses_count. */
static void show(int64_t *values, int64_t *counts, const struct common_access *access) {
  struct common_access shown[ACCESSES_SHOWN + 1];
  int n = 0, placed = 0;
  for (int i = 0; i < ACCESSES_SHOWN; i++) {
    const int64_t *value = &values[i * ACCESS_FIELDS];
    int64_t count = counts[i];
    if (!placed &&
        !(count > access->count || (count == access->count && value[0] > access->value[0]))) {
      shown[n++] = *access;
      placed = 1;
    }
    if (count && same(value, access->value)) continue;
    memcpy(shown[n].value, value, BYTES);
    shown[n++].count = count;
  }
  for (int i = 0; i < ACCESSES_SHOWN && i < n; i++) {
    memcpy(&values[i * ACCESS_FIELDS], shown[i].value, BYTES);
    counts[i] = shown[i].count;
  }
}

/* Finds the access in the table, or adds it with count 0. Returns its index, or -1 if the table
 * is full. */
static int find(struct common_accesses *table, const int64_t *access) {
  if (table->last < table->used && same(table->entry[table->last].value, access))
    return (int)table->last;
  for (uint32_t at = 0; at < table->used; at++)
    if (same(table->entry[at].value, access)) return (int)at;
  if (table->used == ACCESSES_TRACKED) return -1;
  memcpy(table->entry[table->used].value, access, BYTES);
  return (int)table->used++;
}

/* Counts the access in the record's four slots. Returns 1, or 0 if the slots neither have the
 * access nor space for it. */
static int count_in_record(int64_t *values, int64_t *counts, const int64_t *access) {
  if (access[0] == 0) return 0; /* size 0 is tracked, but never shown */
  for (int i = 0; i < ACCESSES_SHOWN; i++) {
    if (counts[i] && !same(&values[i * ACCESS_FIELDS], access)) continue;
    struct common_access counted = {.count = counts[i] + 1};
    memcpy(counted.value, access, BYTES);
    show(values, counts, &counted);
    return 1;
  }
  return 0;
}

/* Allocates the table, and fills it with the accesses that are in the record's four slots. Returns
 * its entries, or NULL if out of memory. */
static struct common_access *new_table(struct common_accesses *table, struct scratch *scratch,
                                       const int64_t *values, const int64_t *counts) {
  struct common_access *entry =
      scratch_take(scratch, ACCESSES_TRACKED * sizeof(struct common_access));
  for (uint32_t i = 0; entry && i < ACCESSES_SHOWN && counts[i]; i++) {
    memcpy(entry[i].value, &values[i * ACCESS_FIELDS], BYTES);
    entry[i].count = counts[i];
    table->used = i + 1;
  }
  return entry;
}

void common_accesses_count(struct common_accesses *table, struct scratch *scratch, int64_t *values,
                           int64_t *counts, const int64_t access[ACCESS_FIELDS]) {
  if (!table->entry && counts[0] && same(values, access)) {
    counts[0]++;
    return;
  }
  if (!table->entry && count_in_record(values, counts, access)) return;
  if (!table->entry) table->entry = new_table(table, scratch, values, counts);
  if (!table->entry) return;
  int at = find(table, access);
  if (at < 0) return;
  table->last = (uint32_t)at;
  int64_t count = ++table->entry[at].count;
  if (access[0] == 0) return;
  if (counts[0] && same(values, access))
    counts[0] = count; /* the slot of the first access stays first */
  else
    show(values, counts, &table->entry[at]);
}
