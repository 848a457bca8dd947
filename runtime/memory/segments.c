/* Maps and clears the segments of a table (segments.h). */
#include "segments.h"

#include <string.h>

#include "../intercept/memory.h"

enum { FIRST_ITEMS_SHIFT = 12 }; /* log2 of the largest first segment, in items */

void segments_prepare(struct segments *segments, size_t item_size, size_t bytes) {
  uint32_t shift = 2;
  while (shift < FIRST_ITEMS_SHIFT && item_size << (shift + 1) <= bytes)
    shift++;
  memset(segments, 0, sizeof(*segments));
  segments->item_size = (uint32_t)item_size;
  segments->shift = shift;
}

static size_t offset_of(const struct segments *segments, uint32_t segment) {
  return (size_t)segments_first(segments, segment) * segments->item_size;
}

static size_t size_of(const struct segments *segments, uint32_t segment) {
  return (size_t)segments_count(segments, segment) * segments->item_size;
}

void segments_put(struct segments *segments, uint32_t segment, char *first) {
  __atomic_store_n(&segments->zero[segment], first - offset_of(segments, segment),
                   __ATOMIC_RELEASE);
}

int segments_make(struct segments *segments, uint32_t item) {
  uint32_t last = segments_of(segments, item);
  if (last >= SEGMENTS_MOST) return -1;
  for (uint32_t k = 0; k <= last; k++) {
    if (__atomic_load_n(&segments->zero[k], __ATOMIC_ACQUIRE)) continue;
    char *none = NULL, *memory = private_memory(size_of(segments, k));
    if (!memory) return -1;
    if (!__atomic_compare_exchange_n(&segments->zero[k], &none, memory - offset_of(segments, k), 0,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
      sys_munmap(memory, size_of(segments, k));
  }
  return 0;
}

void segments_clear(struct segments *segments) {
  for (uint32_t k = 0; k < SEGMENTS_MOST && segments->zero[k]; k++)
    private_memory_wipe(segments->zero[k] + offset_of(segments, k), size_of(segments, k));
}
