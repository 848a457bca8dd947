/* Records up the tree: streams travel as they are, or stay where they are and only
 * their lengths travel; what several ranks may have is merged on the way. */
#ifndef DARSHAN_RANKS_GATHER_H
#define DARSHAN_RANKS_GATHER_H

#include "streams.h"

/* What a rank knows of the streams of itself and of all below. */
struct gathered {
  int failed;             /* this rank, or one below it */
  int kept;               /* streams of this rank or below stay where they are */
  uint32_t kept_children; /* bit n: the n-th child keeps streams, and waits for places */
  struct arena arena;     /* of everything below, until the end */
  int num_parts;          /* own, what left on the way, then one per child */
  struct stretches *parts;
  struct message *child;  /* messages of children, while their streams are in them */
  struct stretches total; /* one line per section, of all parts */
};

/* The part that the n-th child sent. */
static inline int part_of_child(const struct gathered *gathered, const struct rank *rank, int n) {
  return gathered->num_parts - rank_children(rank) + n;
}

/* The third step.  Drops the facts below the root: they have done their work. */
void gather_up(struct gathered *gathered, const struct rank *rank, struct facts *facts);
void gathered_drop(struct gathered *gathered, const struct rank *rank);

#endif
