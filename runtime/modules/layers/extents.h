/* The set of bytes that were accessed, in bounded memory: a sorted list of ranges. When the list is
 * full, the two ranges with the smallest gap are joined, and the gap is added to the error. */
#ifndef DARSHAN_EXTENTS_H
#define DARSHAN_EXTENTS_H

#include <stdint.h>

enum { EXTENTS = 96, FIRST_EXTENTS = 4 };

struct layer_extents {
  uint32_t used;
  uint32_t room;  /* at most EXTENTS */
  uint32_t last;  /* index of the latest range */
  uint64_t error; /* bytes counted that were not accessed */
  struct {
    uint64_t start, end; /* half open; the file's number is in the upper bits */
  } extent[];
};

/* Returns a list with space for one more range: extents, or a larger copy; small at first, because
 * most datasets are read and written in one piece. Returns NULL if out of memory for the first
 * list. */
struct layer_extents *extents_with_room(struct layer_extents *extents);
/* Adds [start, start + bytes). Returns the increase of the covered bytes. */
int64_t extents_add(struct layer_extents *extents, uint64_t start, uint64_t bytes);
/* Returns the number of covered bytes in [start, start + bytes). */
uint64_t extents_overlap(const struct layer_extents *extents, uint64_t start, uint64_t bytes);

#endif
