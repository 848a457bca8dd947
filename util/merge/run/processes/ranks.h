/* Assigns the processes of a run to ranks in the order of their starts, the root process first. */
#ifndef DARSHAN_MERGE_RANKS_H
#define DARSHAN_MERGE_RANKS_H

#include "processes.h"

enum {
  RANKS_MOST = 4096, /* largest number of ranks in a log */
  RANKS_FOLDED = 64, /* largest number of ranks that later processes share, one per program */
};

struct run_rank {
  int first, last; /* indices of its first and last process, linked by next_of_rank */
  int count;       /* number of processes */
  int folded;      /* 1: a rank for all later processes of a program, because ranks are used up */
  int job;         /* 1: its processes are the ranks of one MPI job */
};

struct run_ranks {
  struct run_rank *ranks;
  int count;
  int top; /* index of the root process; -1: no process */
};

/* Assigns each process of the tree to a rank. top: pid of the root process; 0: unknown, then the
 * process that started first. In both cases *ranks must be freed. Returns 0, or -1 if out of
 * memory. */
int ranks_make(struct run_ranks *ranks, struct run_tree *tree, int32_t top);
/* Makes a rank for one process, and no other ranks. process: its index. Returns 0, or -1 if out of
 * memory. */
int ranks_alone(struct run_ranks *ranks, struct run_tree *tree, int process);
void ranks_free(struct run_ranks *ranks);

#endif
