/* Merges lists of the four most common values. A value is a number, or a tuple that is ordered by
 * its first number. */
#include "merge.h"

#include <string.h>

enum { SLOTS = 4, TUPLE_MAX = 16 };

struct list {
  int width; /* numbers in a value */
  int64_t *values, *counts;
};

struct entry {
  int64_t value[TUPLE_MAX];
  int64_t count;
};

static struct entry get(const struct list *list, int slot) {
  struct entry entry = {.count = list->counts[slot]};
  memcpy(entry.value, list->values + slot * list->width, (size_t)list->width * 8);
  return entry;
}

static void put(const struct list *list, int slot, const struct entry *entry) {
  memcpy(list->values + slot * list->width, entry->value, (size_t)list->width * 8);
  list->counts[slot] = entry->count;
}

static bool same_value(const struct list *list, int slot, const struct entry *entry) {
  return memcmp(list->values + slot * list->width, entry->value, (size_t)list->width * 8) == 0;
}

static bool ranks_above(const struct entry *a, const struct entry *b) {
  return a->count > b->count || (a->count == b->count && a->value[0] > b->value[0]);
}

/* Inserts the entry after those that rank above it and drops the last one. Returns true, or false
 * if four entries rank above it. */
static bool insert(const struct list *list, const struct entry *entry) {
  int place = 0;
  for (; place < SLOTS; place++) {
    struct entry slot = get(list, place);
    if (!ranks_above(&slot, entry)) break;
  }
  if (place == SLOTS) return false;
  for (int i = SLOTS - 1; i > place; i--) {
    struct entry moved = get(list, i - 1);
    put(list, i, &moved);
  }
  put(list, place, entry);
  return true;
}

static void add_count(const struct list *list, int slot, int64_t count) {
  list->counts[slot] = (int64_t)((uint64_t)list->counts[slot] + (uint64_t)count);
}

/* Handles the common case of shared files: `from` is empty, or both lists have the same values in
 * an order that the addition of the counts does not change. Then returns true. Returns false in
 * other cases, and changes nothing. */
static bool add_alike(const struct list *into, const struct list *from) {
  bool empty = true;
  for (int i = 0; i < SLOTS; i++)
    empty = empty && from->values[i * from->width] == 0;
  if (empty) return true;
  if (memcmp(into->values, from->values, (size_t)(SLOTS * into->width) * 8) != 0) return false;
  for (int i = 0; i < SLOTS; i++)
    add_count(into, i, from->counts[i]);
  return true;
}

/* Merges the list of another rank: adds up the counts of equal values, then sorts all values by the
 * new counts and stores the first four. */
static void reduce(const struct list *into, const struct list *from) {
  struct entry old[2 * SLOTS];
  if (add_alike(into, from)) return;
  for (int i = 0; i < SLOTS; i++)
    old[SLOTS + i] = get(from, i);
  for (int i = 0; i < SLOTS; i++)
    for (int j = SLOTS; j < 2 * SLOTS; j++)
      if (old[j].value[0] != 0 && same_value(into, i, &old[j])) {
        add_count(into, i, old[j].count);
        memset(&old[j], 0, sizeof(old[j]));
      }
  const struct entry empty = {.count = 0};
  for (int i = 0; i < SLOTS; i++) {
    old[i] = get(into, i);
    put(into, i, &empty);
  }
  for (int i = 0; i < 2 * SLOTS; i++)
    if (old[i].value[0] != 0) insert(into, &old[i]);
}

/* Merges a list into a total: adds counts of equal values in place and inserts the others in
 * order, until one does not fit. */
static void total(const struct list *into, const struct list *from) {
  bool done[SLOTS] = {false};
  for (int i = 0; i < SLOTS; i++) {
    struct entry entry = get(from, i);
    for (int slot = 0; slot < SLOTS; slot++)
      if (same_value(into, slot, &entry)) {
        add_count(into, slot, entry.count);
        done[i] = true;
      }
  }
  for (int i = 0; i < SLOTS; i++) {
    struct entry entry = get(from, i);
    if (done[i]) continue;
    if (entry.value[0] == 0 || !insert(into, &entry)) return;
  }
}

/* Merges like total, but skips a list whose first value is 0, even if other values follow. */
static void total_unless_empty(const struct list *into, const struct list *from) {
  if (from->values[0] != 0) total(into, from);
}

static void each_list(const struct darshan_merge_plan *plan, void *into, const void *from,
                      void (*merge)(const struct list *into, const struct list *from)) {
  int64_t *a = darshan_record_counters(plan, into), *b = darshan_record_counters(plan, from);
  for (int i = 0; i < plan->num_counters;) {
    int first = i;
    while (i < plan->num_counters && plan->rules[i] == DARSHAN_RULE_TOP4_VALUE)
      i++;
    if (i == first) {
      i++;
      continue;
    }
    const struct list into_list = {(i - first) / SLOTS, a + first, a + i};
    const struct list from_list = {(i - first) / SLOTS, b + first, b + i};
    merge(&into_list, &from_list);
  }
}

void darshan_top4_reduce(const struct darshan_merge_plan *plan, void *into, const void *from) {
  each_list(plan, into, from, reduce);
}

void darshan_top4_total(const struct darshan_merge_plan *plan, void *into, const void *from) {
  bool is_mpiio = plan->id == DARSHAN_MOD_MPIIO; /* the log format treats MPI-IO differently */
  each_list(plan, into, from, is_mpiio ? total_unless_empty : total);
}
