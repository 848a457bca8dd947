/* The tree along which ranks talk.  The parent of a rank is the rank without
 * its lowest bit, so the ranks below a rank follow it without a gap: what is
 * put together as self, first child, second child ... is in order of rank. */
#ifndef DARSHAN_RANKS_TREE_H
#define DARSHAN_RANKS_TREE_H

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

#endif
