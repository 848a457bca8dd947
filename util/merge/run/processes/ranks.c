/* Assigns the processes of a run to ranks in the order of their starts, the root process first
 * (ranks.h). */
#include "ranks.h"

#include <stdlib.h>
#include <string.h>

#include "record-id.h"

struct deal { /* state while processes are assigned to ranks */
  struct run_ranks *ranks;
  struct run_tree *tree;
  struct map jobs, programs; /* MPI job -> its rank; hash of a program's name -> shared rank */
  int own; /* number of ranks with one process or job each; later processes share the remaining
              ranks */
};

/* A process, for sorting by start. */
struct arrival {
  int64_t start_ns;
  int process;
};

static int by_arrival(const void *a, const void *b) {
  const struct arrival *left = a, *right = b;
  if (left->start_ns != right->start_ns) return left->start_ns < right->start_ns ? -1 : 1;
  return left->process < right->process ? -1 : left->process > right->process;
}

/* Returns all processes in the order of their starts, in an array that the caller frees. Returns
 * NULL if out of memory. */
static struct arrival *in_order(const struct run_tree *tree) {
  struct arrival *order = malloc((tree->num_processes + 1) * sizeof(*order));
  for (size_t i = 0; order && i < tree->num_processes; i++)
    order[i] = (struct arrival){tree->processes[i].start_ns, (int)i};
  if (order) qsort(order, tree->num_processes, sizeof(*order), by_arrival);
  return order;
}

/* Moves the first process with the pid of the root process to the front. top: this pid; 0 if it is
 * unknown. */
static void top_first(const struct run_tree *tree, struct arrival *order, int32_t top) {
  for (size_t i = 0; top && i < tree->num_processes; i++) {
    if (tree->processes[order[i].process].pid != top) continue;
    struct arrival first = order[i];
    memmove(order + 1, order, i * sizeof(*order));
    order[0] = first;
    return;
  }
}

/* Returns the hash of the name of a process's last program. Processes with equal names share a
 * rank; rows may truncate the names. */
static uint64_t program_key(const struct run_tree *tree, const struct run_process *process) {
  const char *name = process->last_program >= 0 ? tree->programs[process->last_program].name : "";
  return darshan_hash(name, strlen(name), 0);
}

static int new_rank(struct deal *deal) {
  struct run_rank *rank = &deal->ranks->ranks[deal->ranks->count];
  *rank = (struct run_rank){.first = -1, .last = -1};
  return deal->ranks->count++;
}

/* Returns the rank of the group with this key. A new group gets a new rank while fewer than `room`
 * ranks exist, otherwise rank `room` - 1. Returns -1 if out of memory. */
static int rank_of_group(struct deal *deal, struct map *groups, uint64_t key, int room) {
  int64_t *rank = map_at(groups, key);
  if (!rank) return -1;
  if (*rank < 0) *rank = deal->ranks->count < room ? new_rank(deal) : room - 1;
  return (int)*rank;
}

/* Returns the rank to which a process is assigned: that of its MPI job, a rank of its own, or one
 * that it shares with later processes of the same program. Returns -1 if out of memory. */
static int rank_for(struct deal *deal, const struct run_process *process) {
  int rank;
  if (process->job && (map_get(&deal->jobs, process->job) >= 0 || deal->ranks->count < deal->own)) {
    rank = rank_of_group(deal, &deal->jobs, process->job, deal->own);
    if (rank >= 0) deal->ranks->ranks[rank].job = 1;
    return rank;
  }
  if (deal->ranks->count < deal->own) return new_rank(deal);
  rank = rank_of_group(deal, &deal->programs, program_key(deal->tree, process), RANKS_MOST);
  if (rank >= 0) deal->ranks->ranks[rank].folded = 1;
  return rank;
}

/* Assigns process `number` to a rank. Returns 0, or -1 if out of memory. */
static int put(struct deal *deal, int number) {
  struct run_process *process = &deal->tree->processes[number];
  int to = rank_for(deal, process);
  if (to < 0) return -1;
  struct run_rank *rank = &deal->ranks->ranks[to];
  if (rank->last >= 0)
    deal->tree->processes[rank->last].next_of_rank = number;
  else
    rank->first = number;
  rank->last = number;
  rank->count++;
  process->rank = to;
  return 0;
}

int ranks_make(struct run_ranks *ranks, struct run_tree *tree, int32_t top) {
  struct deal deal = {.ranks = ranks, .tree = tree};
  struct arrival *order = in_order(tree);
  int result = 0;
  size_t most = tree->num_processes < RANKS_MOST ? tree->num_processes : RANKS_MOST;
  deal.own = tree->num_processes <= RANKS_MOST ? RANKS_MOST : RANKS_MOST - RANKS_FOLDED;
  *ranks = (struct run_ranks){.ranks = calloc(most + 1, sizeof(*ranks->ranks)), .top = -1};
  if (!order || !ranks->ranks) result = -1;
  if (result == 0 && tree->num_processes > 0) {
    top_first(tree, order, top);
    ranks->top = order[0].process;
  }
  for (size_t i = 0; result == 0 && i < tree->num_processes; i++)
    result = put(&deal, order[i].process);
  free(order);
  map_free(&deal.jobs);
  map_free(&deal.programs);
  return result;
}

int ranks_alone(struct run_ranks *ranks, struct run_tree *tree, int process) {
  *ranks =
      (struct run_ranks){.ranks = calloc(1, sizeof(*ranks->ranks)), .count = 1, .top = process};
  if (!ranks->ranks) return -1;
  for (size_t i = 0; i < tree->num_processes; i++) {
    tree->processes[i].rank = -1;
    tree->processes[i].next_of_rank = -1;
  }
  tree->processes[process].rank = 0;
  ranks->ranks[0] = (struct run_rank){.first = process, .last = process, .count = 1};
  return 0;
}

void ranks_free(struct run_ranks *ranks) {
  free(ranks->ranks);
  ranks->ranks = NULL;
}
