/* Which process is which rank: in order of arrival, the top first. */
#ifndef DARSHAN_MERGE_RANKS_H
#define DARSHAN_MERGE_RANKS_H

#include "processes.h"

enum {
  RANKS_MOST = 4096, /* of a log */
  RANKS_FOLDED = 64, /* of these, at most, for later processes: one per program */
};

struct run_rank {
  int first, last; /* processes, linked by next_of_rank */
  int count;
  int folded; /* 1: they have nothing in common but their program, or not even that */
  int job;    /* 1: they are ranks of one MPI job */
};

struct run_ranks {
  struct run_rank *ranks;
  int count;
  int top; /* its process; -1: there is none */
};

/* 0, or -1: no memory. */
int ranks_make(struct run_ranks *ranks, struct run_tree *tree, int32_t top);
/* One process by itself. */
int ranks_alone(struct run_ranks *ranks, struct run_tree *tree, int process);
void ranks_free(struct run_ranks *ranks);

#endif
