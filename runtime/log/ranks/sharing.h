/* How many ranks know a record id.  While there are few: a list of ids.  Beyond:
 * a table of counts by some bits of the id; a bucket that one rank alone fills
 * holds nothing that another rank has. */
#ifndef DARSHAN_RANKS_SHARING_H
#define DARSHAN_RANKS_SHARING_H

#include <stdint.h>

#include "arena.h"

enum {
  SHARING_BUCKETS = 1 << 20,
  SHARING_LIST = SHARING_BUCKETS / sizeof(uint64_t), /* beyond, a byte per bucket is smaller */
  SHARING_BYTES_MAX = SHARING_BUCKETS,               /* in a message */
  SHARING_MANY = INT32_MAX                           /* ranks: more than can be counted */
};

struct sharing {
  uint32_t count;          /* entries of the list; SHARING_BUCKETS: a byte per bucket */
  const uint64_t *entries; /* 48 bits of an id, then 16 of how many ranks; ascending */
  uint8_t *counts;
};

/* From a name region.  0, or -1: no memory. */
int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length);
/* Adds a table; its bytes stand in a message. */
int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other);
/* Ranks that have this id, or one of the same bucket; SHARING_MANY: or more. */
unsigned sharing_ranks(const struct sharing *table, uint64_t id);
/* Known to exactly that many ranks, unless two ids are the same in their upper 48
 * bits; never true of a table by buckets, or of 65,535 ranks and more. */
int sharing_known_to(const struct sharing *table, uint64_t id, unsigned ranks);

static inline const void *sharing_bytes(const struct sharing *table) {
  return table->counts ? (const void *)table->counts : table->entries;
}
static inline size_t sharing_size(uint32_t count) {
  return count == SHARING_BUCKETS ? SHARING_BUCKETS : count * sizeof(uint64_t);
}
/* A table whose bytes are elsewhere. */
struct sharing sharing_at(const void *bytes, uint32_t count);

#endif
