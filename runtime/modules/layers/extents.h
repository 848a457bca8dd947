/* Which bytes of files were touched, in bounded memory: a sorted list of
 * stretches.  When it is full, the two stretches with the smallest gap between
 * them become one, and the gap is added to the error. */
#ifndef DARSHAN_EXTENTS_H
#define DARSHAN_EXTENTS_H

#include <stdint.h>

enum { EXTENTS = 96, FIRST_EXTENTS = 4 };

struct layer_extents {
  uint32_t used;
  uint32_t room;  /* at most EXTENTS */
  uint32_t last;  /* where the last one went */
  uint64_t error; /* bytes counted that were not touched */
  struct {
    uint64_t start, end; /* half open; the file's number is in the upper bits */
  } extent[];
};

/* A list that has room for one more stretch: this one, or a copy that is larger; most datasets
 * are read and written in one piece.  NULL: there is no memory for a first. */
struct layer_extents *extents_with_room(struct layer_extents *extents);
/* Adds [start, start + bytes); returns by how much the covered bytes grew. */
int64_t extents_add(struct layer_extents *extents, uint64_t start, uint64_t bytes);
/* Bytes of [start, start + bytes) that are covered. */
uint64_t extents_overlap(const struct layer_extents *extents, uint64_t start, uint64_t bytes);

#endif
