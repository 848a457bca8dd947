/* A table whose items never move and that grows by separate mappings (segments). A process pays
 * only for the memory and the address space that it uses: programs may lock, limit or count their
 * address space. */
#ifndef DARSHAN_SEGMENTS_H
#define DARSHAN_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { SEGMENTS_MOST = 24, SEGMENTS_PAGE = 4096 /* bytes of a typical first segment */ };

/* The first segment has 1 << shift items, the second as many, and each further segment as many as
 * all segments before it. */
struct segments {
  uint32_t item_size, shift;
  char *zero[SEGMENTS_MOST]; /* address that item 0 would have if all items were in this segment;
                                NULL: not mapped */
};

/* Initializes an empty table. bytes: approximate size of the first segment. */
void segments_prepare(struct segments *segments, size_t item_size, size_t bytes);

/* segments_of returns the number of the segment that contains an item. The next functions return
 * the first item of a segment and its number of items. */
static inline uint32_t segments_of(const struct segments *segments, uint32_t item) {
  return 31 - (uint32_t)__builtin_clz((item >> segments->shift << 1) | 1);
}
static inline uint32_t segments_first(const struct segments *segments, uint32_t segment) {
  return segment ? (uint32_t)1 << (segments->shift + segment - 1) : 0;
}
static inline uint32_t segments_count(const struct segments *segments, uint32_t segment) {
  return (uint32_t)1 << (segments->shift + (segment ? segment - 1 : 0));
}

/* Returns the address of an item, whose segment must be mapped. */
static inline void *segments_at(const struct segments *segments, uint32_t item) {
  char *zero = __atomic_load_n(&segments->zero[segments_of(segments, item)], __ATOMIC_RELAXED);
  return zero + (size_t)item * segments->item_size;
}
static inline int segments_there(const struct segments *segments, uint32_t item) {
  return __atomic_load_n(&segments->zero[segments_of(segments, item)], __ATOMIC_ACQUIRE) != NULL;
}

/* Stores the address of a segment that the caller has mapped. first: address of its first item. */
void segments_put(struct segments *segments, uint32_t segment, char *first);

/* segments_make maps all missing segments up to that of the item, with zeroed private memory. Any
 * thread may call it, without a lock. Returns 0, or -1 if out of memory or if item is too large.
 * segments_have does the same only if the item's segment is missing. */
int segments_make(struct segments *segments, uint32_t item);
static inline int segments_have(struct segments *segments, uint32_t item) {
  uint32_t last = segments_of(segments, item);
  if (__builtin_expect(last < SEGMENTS_MOST &&
                           __atomic_load_n(&segments->zero[last], __ATOMIC_ACQUIRE) != NULL,
                       1))
    return 0; /* segments before it exist, too, because they are made first */
  return segments_make(segments, item);
}
/* Zeroes all items, in a forked child. Only for tables that segments_have or segments_make
 * mapped. */
void segments_clear(struct segments *segments);

#endif
