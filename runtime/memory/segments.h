/* A table whose items never move and whose room grows by separate mappings: a
 * process pays for what it uses, in address space too, which programs lock, limit
 * and count. */
#ifndef DARSHAN_SEGMENTS_H
#define DARSHAN_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { SEGMENTS_MOST = 24, SEGMENTS_PAGE = 4096 /* bytes for a first segment, mostly */ };

/* The first segment holds 1 << shift items, the next as many, and each further one
 * as many as all before it. */
struct segments {
  uint32_t item_size, shift;
  char *zero[SEGMENTS_MOST]; /* where item 0 would lie before this segment; NULL: not there */
};

/* Nothing is mapped yet.  bytes: of the first segment, about. */
void segments_prepare(struct segments *segments, size_t item_size, size_t bytes);

/* Which segment an item is in; what a segment begins with and how many it has. */
static inline uint32_t segments_of(const struct segments *segments, uint32_t item) {
  return 31 - (uint32_t)__builtin_clz((item >> segments->shift << 1) | 1);
}
static inline uint32_t segments_first(const struct segments *segments, uint32_t segment) {
  return segment ? (uint32_t)1 << (segments->shift + segment - 1) : 0;
}
static inline uint32_t segments_count(const struct segments *segments, uint32_t segment) {
  return (uint32_t)1 << (segments->shift + (segment ? segment - 1 : 0));
}

/* Only of an item whose segment is there. */
static inline void *segments_at(const struct segments *segments, uint32_t item) {
  char *zero = __atomic_load_n(&segments->zero[segments_of(segments, item)], __ATOMIC_RELAXED);
  return zero + (size_t)item * segments->item_size;
}
static inline int segments_there(const struct segments *segments, uint32_t item) {
  return __atomic_load_n(&segments->zero[segments_of(segments, item)], __ATOMIC_ACQUIRE) != NULL;
}

/* The first item of a segment lies at this address from now on. */
void segments_put(struct segments *segments, uint32_t segment, char *first);

/* Makes all segments up to that of the item, of zeroed private memory.  Any thread
 * may call it.  0, or -1: no memory. */
int segments_make(struct segments *segments, uint32_t item);
static inline int segments_have(struct segments *segments, uint32_t item) {
  uint32_t last = segments_of(segments, item);
  if (__builtin_expect(last < SEGMENTS_MOST &&
                           __atomic_load_n(&segments->zero[last], __ATOMIC_ACQUIRE) != NULL,
                       1))
    return 0; /* and so are those before it, which are made first */
  return segments_make(segments, item);
}
/* For a forked child: items are zero again; of memory that segments_have made. */
void segments_clear(struct segments *segments);

#endif
