/* Sends records up the tree of ranks. Compressed streams are sent unchanged; if they are large,
 * they stay in their rank, and only their lengths are sent. Records that several ranks may have are
 * merged on the way. */
#ifndef DARSHAN_RANKS_GATHER_H
#define DARSHAN_RANKS_GATHER_H

#include "streams.h"

/* The streams of a rank and of all ranks below it, as this rank knows them. */
struct gathered {
  int failed;             /* 1: this rank or a rank below it failed */
  int kept;               /* 1: streams stay in this rank or in ranks below it */
  uint32_t kept_children; /* bit n: the n-th child keeps streams and waits for file offsets */
  struct arena arena;     /* memory of the members below */
  int num_parts; /* parts: own streams, candidates that left the set, then one part per child */
  struct stretches *parts;
  struct message *child;  /* messages of children, which hold their streams */
  struct stretches total; /* for each section, a line that sums up all parts */
};

/* Returns the index of the part that the n-th child sent. */
static inline int part_of_child(const struct gathered *gathered, const struct rank *rank, int n) {
  return gathered->num_parts - rank_children(rank) + n;
}

/* The third step of the reduction: merges the records of this rank and its children, and sends the
 * result to the parent. Sets gathered->failed if that fails. Frees the facts, except in the root
 * rank, and `gathered` unless streams are kept. */
void gather_up(struct gathered *gathered, const struct rank *rank, struct facts *facts);
void gathered_drop(struct gathered *gathered, const struct rank *rank);

#endif
