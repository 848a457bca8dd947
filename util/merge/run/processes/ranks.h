/* Deals the processes of a run to ranks, in order of their starts, the root process first. */
#ifndef DARSHAN_MERGE_RANKS_H
#define DARSHAN_MERGE_RANKS_H

#include "processes.h"

enum {
  RANKS_MOST = 4096, /* in a log */
  RANKS_FOLDED = 64, /* largest number of these that later processes share, one per program */
};

struct run_rank {
  int first, last; /* indices of processes, linked by next_of_rank */
  int count;
  int folded; /* 1: its processes share at most the program's name */
  int job;    /* 1: they are ranks of one MPI job */
};

struct run_ranks {
  struct run_rank *ranks;
  int count;
  int top; /* index of the root process; -1: none */
};

/* Assigns each process to a rank. top: pid of the root process, 0 if not known. Returns 0, or -1 if
 * out of memory. */
int ranks_make(struct run_ranks *ranks, struct run_tree *tree, int32_t top);
/* Makes a rank for one process, and no other ranks. Returns 0, or -1 if out of memory. */
int ranks_alone(struct run_ranks *ranks, struct run_tree *tree, int process);
void ranks_free(struct run_ranks *ranks);

#endif
