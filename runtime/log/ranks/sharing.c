#include "sharing.h"

#include <assert.h>
#include <string.h>

enum { COUNT_BITS = 8, BUCKET_BITS = 20 };
static_assert(1 << BUCKET_BITS == SHARING_BUCKETS, "bits of a bucket");

static uint32_t bucket_of(uint64_t id) {
  return (uint32_t)(id >> (64 - BUCKET_BITS));
}

static unsigned saturated(unsigned a, unsigned b) {
  return a + b < SHARING_MANY ? a + b : SHARING_MANY;
}

struct sharing sharing_at(const void *bytes, uint32_t count) {
  struct sharing table = {.count = count};
  if (count == SHARING_BUCKETS)
    table.counts = (uint8_t *)(uintptr_t)bytes;
  else
    table.entries = bytes;
  return table;
}

/* By bucket: a pass for each byte that it has. */
static void sort(uint32_t *entries, uint32_t *other, uint32_t n) {
  for (int shift = COUNT_BITS; shift < COUNT_BITS + BUCKET_BITS; shift += 7) {
    uint32_t places[128] = {0}, at = 0;
    for (uint32_t i = 0; i < n; i++)
      places[entries[i] >> shift & 127]++;
    for (int digit = 0; digit < 128; digit++) {
      uint32_t many = places[digit];
      places[digit] = at;
      at += many;
    }
    for (uint32_t i = 0; i < n; i++)
      other[places[entries[i] >> shift & 127]++] = entries[i];
    uint32_t *swap = entries;
    entries = other;
    other = swap;
  }
}
/* An odd number of passes ends in the other array. */
enum { PASSES = (BUCKET_BITS + 6) / 7 };
static_assert(PASSES == 3, "the sorted entries are in the second array");

static uint32_t count_names(const char *names, size_t length) {
  uint32_t n = 0;
  for (size_t at = 0; at + sizeof(uint64_t) < length; n++)
    at += sizeof(uint64_t) + strlen(names + at + sizeof(uint64_t)) + 1;
  return n;
}

static uint32_t add_up_equal(uint32_t *entries, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (kept && entries[kept - 1] >> COUNT_BITS == entries[i] >> COUNT_BITS)
      entries[kept - 1] = (entries[i] & ~(uint32_t)SHARING_MANY) |
                          saturated(entries[kept - 1] & SHARING_MANY, entries[i] & SHARING_MANY);
    else
      entries[kept++] = entries[i];
  }
  return kept;
}

static int make_dense(struct sharing *table, struct arena *arena) {
  uint8_t *counts = arena_take(arena, SHARING_BUCKETS);
  if (!counts) return -1;
  memset(counts, 0, SHARING_BUCKETS);
  for (uint32_t i = 0; i < table->count; i++)
    counts[table->entries[i] >> COUNT_BITS] = (uint8_t)table->entries[i];
  *table = (struct sharing){.count = SHARING_BUCKETS, .counts = counts};
  return 0;
}

int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length) {
  uint32_t n = count_names(names, length), i = 0;
  uint32_t *entries = arena_take(arena, 2 * (size_t)n * sizeof(uint32_t));
  *table = (struct sharing){0};
  if (!entries) return -1;
  for (size_t at = 0; i < n; i++) {
    uint64_t id;
    memcpy(&id, names + at, sizeof(id));
    entries[i] = bucket_of(id) << COUNT_BITS | 1;
    at += sizeof(id) + strlen(names + at + sizeof(id)) + 1;
  }
  sort(entries, entries + n, n);
  table->entries = entries + n;
  table->count = add_up_equal(entries + n, n);
  return table->count < SHARING_SPARSE ? 0 : make_dense(table, arena);
}

static void add_to_dense(uint8_t *counts, const struct sharing *other) {
  if (other->counts) {
    for (uint32_t i = 0; i < SHARING_BUCKETS; i++)
      counts[i] = (uint8_t)saturated(counts[i], other->counts[i]);
    return;
  }
  for (uint32_t i = 0; i < other->count; i++) {
    uint8_t *count = &counts[other->entries[i] >> COUNT_BITS];
    *count = (uint8_t)saturated(*count, other->entries[i] & SHARING_MANY);
  }
}

static int merge_lists(struct sharing *table, struct arena *arena, const struct sharing *other) {
  uint32_t *out = arena_take(arena, ((size_t)table->count + other->count) * sizeof(uint32_t));
  const uint32_t *a = table->entries, *a_end = a + table->count;
  const uint32_t *b = other->entries, *b_end = b + other->count;
  uint32_t n = 0;
  if (!out) return -1;
  while (a < a_end || b < b_end) {
    uint32_t left = a < a_end ? *a >> COUNT_BITS : UINT32_MAX;
    uint32_t right = b < b_end ? *b >> COUNT_BITS : UINT32_MAX;
    if (left < right)
      out[n++] = *a++;
    else if (right < left)
      out[n++] = *b++;
    else
      out[n++] = left << COUNT_BITS | saturated(*a++ & SHARING_MANY, *b++ & SHARING_MANY);
  }
  table->entries = out;
  table->count = n;
  return n < SHARING_SPARSE ? 0 : make_dense(table, arena);
}

int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other) {
  if (!table->counts && other->counts && make_dense(table, arena) < 0) return -1;
  if (!table->counts) return merge_lists(table, arena, other);
  add_to_dense(table->counts, other);
  return 0;
}

unsigned sharing_ranks(const struct sharing *table, uint64_t id) {
  uint32_t bucket = bucket_of(id), low = 0, high = table->count;
  if (table->counts) return table->counts[bucket];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (table->entries[middle] >> COUNT_BITS < bucket)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == table->count || table->entries[low] >> COUNT_BITS != bucket) return 0;
  return table->entries[low] & SHARING_MANY;
}
