/* The tree along which ranks talk.  The parent of a rank is the rank without
 * its lowest bit, so the ranks below a rank follow it without a gap: what is
 * put together as self, first child, second child ... is in order of rank. */
#ifndef DARSHAN_RANKS_TREE_H
#define DARSHAN_RANKS_TREE_H

#include <stdint.h>

enum { TREE_CHILDREN = 31 };

static inline int tree_parent(int rank) {
  return rank & (rank - 1);
}

/* The n-th child, -1 if there are not so many. */
static inline int tree_child(int rank, int size, int n) {
  if (n >= TREE_CHILDREN || (rank >> n) & 1) return -1;
  if (rank & ((1 << n) - 1)) return -1;
  return (1 << n) < size - rank ? rank + (1 << n) : -1;
}

static inline int tree_children(int rank, int size) {
  int n = 0;
  while (tree_child(rank, size, n) >= 0)
    n++;
  return n;
}

/* The result, a few bytes, goes down a tree with fewer levels: eight ranks
 * and all below them instead of two.  A rank that has to wait for its turn on a
 * processor does so once for each level. */
enum { TREE_BITS = 3, TREE_DIGIT = (1 << TREE_BITS) - 1, TREE_LEVELS = 31 / TREE_BITS };

/* The lowest digit that is not 0; TREE_LEVELS for rank 0. */
static inline int tree_level(int rank) {
  int level = 0;
  while (level < TREE_LEVELS && !(rank >> level * TREE_BITS & TREE_DIGIT))
    level++;
  return level;
}

static inline int tree_sender(int rank) {
  return rank & ~(TREE_DIGIT << tree_level(rank) * TREE_BITS);
}

/* The n-th of those that hear it from this rank, those with most below them
 * first; -1: there are not so many. */
static inline int tree_receiver(int rank, int size, int n) {
  for (int level = tree_level(rank); level-- > 0;)
    for (int digit = TREE_DIGIT; digit > 0; digit--)
      if (rank + ((int64_t)digit << level * TREE_BITS) < size && n-- == 0)
        return rank + (digit << level * TREE_BITS);
  return -1;
}

#endif
