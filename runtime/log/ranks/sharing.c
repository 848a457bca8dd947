#include "sharing.h"

#include <assert.h>
#include <string.h>

enum { COUNT_BITS = 16, LIST_FULL = (1 << COUNT_BITS) - 1, TABLE_FULL = 255, BUCKET_BITS = 20 };
static_assert(1 << BUCKET_BITS == SHARING_BUCKETS, "bits of a bucket");

static uint32_t bucket_of(uint64_t id_or_entry) {
  return (uint32_t)(id_or_entry >> (64 - BUCKET_BITS));
}

static uint64_t id_of(uint64_t entry) {
  return entry & ~(uint64_t)LIST_FULL;
}

static unsigned saturated(uint64_t a, uint64_t b, unsigned full) {
  return a + b < full ? (unsigned)(a + b) : full;
}

/* Of two of the same id. */
static uint64_t joined(uint64_t a, uint64_t b) {
  return id_of(a) | saturated(a & LIST_FULL, b & LIST_FULL, LIST_FULL);
}

struct sharing sharing_at(const void *bytes, uint32_t count) {
  struct sharing table = {.count = count};
  if (count == SHARING_BUCKETS)
    table.counts = (uint8_t *)(uintptr_t)bytes;
  else
    table.entries = bytes;
  return table;
}

/* Seven bits in each; an odd number of passes ends in the other array. */
enum { DIGIT_BITS = 7, PASSES = (64 - COUNT_BITS + DIGIT_BITS - 1) / DIGIT_BITS };
static_assert(PASSES % 2 == 1, "the sorted entries are in the second array");

/* By id: as long for any ids, which in darshan-merge are a stranger's choice. */
static void sort(uint64_t *entries, uint64_t *other, uint32_t n) {
  for (int shift = 64 - PASSES * DIGIT_BITS; shift < 64; shift += DIGIT_BITS) {
    uint32_t places[1 << DIGIT_BITS] = {0}, at = 0;
    for (uint32_t i = 0; i < n; i++)
      places[entries[i] >> shift & ((1 << DIGIT_BITS) - 1)]++;
    for (int digit = 0; digit < 1 << DIGIT_BITS; digit++) {
      uint32_t many = places[digit];
      places[digit] = at;
      at += many;
    }
    for (uint32_t i = 0; i < n; i++)
      other[places[entries[i] >> shift & ((1 << DIGIT_BITS) - 1)]++] = entries[i];
    uint64_t *swap = entries;
    entries = other;
    other = swap;
  }
}

/* At most: an id, and a name of nothing.  Pages that are not needed are not touched. */
static size_t most_names(size_t length) {
  return length / (sizeof(uint64_t) + 1);
}

static uint32_t add_up_equal(uint64_t *entries, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (kept && id_of(entries[kept - 1]) == id_of(entries[i]))
      entries[kept - 1] = joined(entries[kept - 1], entries[i]);
    else
      entries[kept++] = entries[i];
  }
  return kept;
}

static void add_list(uint8_t *counts, const uint64_t *entries, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    uint8_t *count = &counts[bucket_of(entries[i])];
    *count = (uint8_t)saturated(*count, entries[i] & LIST_FULL, TABLE_FULL);
  }
}

static int make_dense(struct sharing *table, struct arena *arena) {
  uint8_t *counts = arena_take(arena, SHARING_BUCKETS);
  if (!counts) return -1;
  memset(counts, 0, SHARING_BUCKETS);
  add_list(counts, table->entries, table->count);
  *table = (struct sharing){.count = SHARING_BUCKETS, .counts = counts};
  return 0;
}

int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length) {
  size_t most = most_names(length), at = 0;
  uint64_t *entries = arena_take(arena, 2 * most * sizeof(*entries)), id;
  uint32_t n = 0;
  *table = (struct sharing){0};
  if (!entries) return -1;
  for (; at + sizeof(id) < length; n++) {
    memcpy(&id, names + at, sizeof(id));
    entries[n] = id_of(id) | 1;
    at += sizeof(id) + strlen(names + at + sizeof(id)) + 1;
  }
  sort(entries, entries + most, n);
  table->entries = entries + most;
  table->count = add_up_equal(entries + most, n);
  return table->count < SHARING_LIST ? 0 : make_dense(table, arena);
}

static void add_to_dense(uint8_t *counts, const struct sharing *other) {
  if (other->counts) {
    for (uint32_t i = 0; i < SHARING_BUCKETS; i++)
      counts[i] = (uint8_t)saturated(counts[i], other->counts[i], TABLE_FULL);
    return;
  }
  add_list(counts, other->entries, other->count);
}

static int merge_lists(struct sharing *table, struct arena *arena, const struct sharing *other) {
  uint64_t *out = arena_take(arena, ((size_t)table->count + other->count) * sizeof(*out));
  const uint64_t *a = table->entries, *a_end = a + table->count;
  const uint64_t *b = other->entries, *b_end = b + other->count;
  uint32_t n = 0;
  if (!out) return -1;
  while (a < a_end && b < b_end) {
    if (id_of(*a) == id_of(*b))
      out[n++] = joined(*a++, *b++);
    else
      out[n++] = *a < *b ? *a++ : *b++;
  }
  while (a < a_end)
    out[n++] = *a++;
  while (b < b_end)
    out[n++] = *b++;
  table->entries = out;
  table->count = n;
  return n < SHARING_LIST ? 0 : make_dense(table, arena);
}

int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other) {
  if (!table->counts && other->counts && make_dense(table, arena) < 0) return -1;
  if (!table->counts) return merge_lists(table, arena, other);
  add_to_dense(table->counts, other);
  return 0;
}

/* Ranks that the list says; 0: the id is not in it. */
static unsigned listed(const struct sharing *table, uint64_t id) {
  const uint64_t *first = table->entries;
  uint32_t n = table->count;
  if (n == 0) return 0;
  while (n > 1) {
    uint32_t half = n / 2;
    first += id_of(first[half]) <= id_of(id) ? half : 0;
    n -= half;
  }
  return id_of(*first) == id_of(id) ? (unsigned)(*first & LIST_FULL) : 0;
}

unsigned sharing_ranks(const struct sharing *table, uint64_t id) {
  unsigned full = table->counts ? TABLE_FULL : LIST_FULL;
  unsigned ranks = table->counts ? table->counts[bucket_of(id)] : listed(table, id);
  return ranks < full ? ranks : SHARING_MANY;
}

int sharing_known_to(const struct sharing *table, uint64_t id, unsigned ranks) {
  return !table->counts && ranks < LIST_FULL && listed(table, id) == ranks;
}
