/* The set of bytes of files that were read or written, as a list of at most EXTENTS ranges
 * (layers-state.h). */
#include "layers-state.h"

#include <string.h>

#include "../../memory/scratch.h"

/* Returns the index of the first range that ends at or after start; the number of ranges if there
 * is none. */
static uint32_t find(const struct layer_extents *extents, uint64_t start) {
  uint32_t low = 0, high = extents->used;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (extents->extent[middle].end < start)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Removes the ranges from index `first` to last - 1 from the list. */
static void take_out(struct layer_extents *extents, uint32_t first, uint32_t last) {
  memmove(&extents->extent[first], &extents->extent[last],
          (extents->used - last) * sizeof(extents->extent[0]));
  extents->used -= last - first;
}

/* Joins the two neighbouring ranges with the smallest gap, so that a slot is free. Returns the
 * bytes of the gap, which it adds to extents->error. */
static uint64_t close_smallest_gap(struct layer_extents *extents) {
  uint32_t best = 1;
  uint64_t smallest = UINT64_MAX;
  for (uint32_t i = 1; i < extents->used; i++) {
    uint64_t gap = extents->extent[i].start - extents->extent[i - 1].end;
    if (gap < smallest) {
      smallest = gap;
      best = i;
    }
  }
  extents->extent[best - 1].end = extents->extent[best].end;
  take_out(extents, best, best + 1);
  extents->error += smallest;
  return smallest;
}

static int64_t insert(struct layer_extents *extents, uint32_t at, uint64_t start, uint64_t end) {
  memmove(&extents->extent[at + 1], &extents->extent[at],
          (extents->used - at) * sizeof(extents->extent[0]));
  extents->extent[at].start = start;
  extents->extent[at].end = end;
  extents->used++;
  return (int64_t)(end - start);
}

struct layer_extents *extents_with_room(struct layer_extents *extents) {
  enum { LARGER = 5 };
  if (extents && (extents->used + 1 < extents->room || extents->room == EXTENTS)) return extents;
  uint32_t room = extents ? LARGER * extents->room : FIRST_EXTENTS;
  if (room > EXTENTS) room = EXTENTS;
  size_t size = sizeof(*extents) + room * sizeof(extents->extent[0]);
  struct layer_extents *larger = scratch_take(&darshan_scratch, size);
  if (!larger) return extents;
  if (extents)
    memcpy(larger, extents, sizeof(*extents) + extents->used * sizeof(extents->extent[0]));
  larger->room = room;
  return larger;
}

int64_t extents_add(struct layer_extents *extents, uint64_t start, uint64_t bytes) {
  uint64_t end = start + bytes;
  uint32_t last = extents->last;
  if (bytes == 0) return 0;
  if (last < extents->used && start >= extents->extent[last].start &&
      end <= extents->extent[last].end)
    return 0; /* a repeated read of the same bytes */
  uint32_t at = find(extents, start);
  extents->last = at;
  if (at == extents->used || extents->extent[at].start > end) {
    int64_t grown = insert(extents, at, start, end);
    /* Joins two ranges if the list is full, so that one slot is free for the next range. */
    if (extents->used == extents->room) grown += (int64_t)close_smallest_gap(extents);
    return grown;
  }
  uint32_t behind = at;
  uint64_t covered = 0, low = start, high = end;
  while (behind < extents->used && extents->extent[behind].start <= end) {
    covered += extents->extent[behind].end - extents->extent[behind].start;
    if (extents->extent[behind].start < low) low = extents->extent[behind].start;
    if (extents->extent[behind].end > high) high = extents->extent[behind].end;
    behind++;
  }
  extents->extent[at].start = low;
  extents->extent[at].end = high;
  take_out(extents, at + 1, behind);
  return (int64_t)(high - low - covered);
}

uint64_t extents_overlap(const struct layer_extents *extents, uint64_t start, uint64_t bytes) {
  uint64_t end = start + bytes, covered = 0;
  for (uint32_t i = find(extents, start); i < extents->used && extents->extent[i].start < end;
       i++) {
    uint64_t low = extents->extent[i].start > start ? extents->extent[i].start : start;
    uint64_t high = extents->extent[i].end < end ? extents->extent[i].end : end;
    if (high > low) covered += high - low;
  }
  return covered;
}
