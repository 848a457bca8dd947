/* Makes one log of all ranks, in steps that each rank takes. A sweep up the tree of ranks adds data
 * up, a sweep down sends the sum to all ranks. A rank never holds more than its own records and a
 * bounded amount of data of other ranks.
 *
 * A rank calls reduce_step for each step in turn. Steps are separate so that a single process can
 * take the steps of many ranks: on the way up, children before their parent; on the way down, after
 * it. */
#ifndef DARSHAN_RANKS_REDUCE_H
#define DARSHAN_RANKS_REDUCE_H

#include "offsets.h"

enum reduce_step {
  REDUCE_FACTS_UP,    /* adds up ids, times and nodes */
  REDUCE_FACTS_DOWN,  /* sends the sums to all ranks */
  REDUCE_RECORDS_UP,  /* merges records and collects streams */
  REDUCE_PLACES_DOWN, /* sends file offsets; ranks that kept streams write them */
  REDUCE_WRITTEN_UP,  /* collects whether all ranks have written */
  REDUCE_RESULT_DOWN, /* sends to all ranks whether there is a log */
  REDUCE_STEPS
};

struct reduction {
  struct rank rank;
  int failed;   /* 1: there will be no log */
  int finished; /* 1: the result is known, and further steps do nothing */
  struct facts facts;
  struct gathered gathered;
  struct placed placed;
};

static inline void reduce_begin(struct reduction *reduction, struct rank_comm *comm,
                                const struct reduce_source *source) {
  *reduction = (struct reduction){.rank = {comm, source}};
}

/* Called in the root rank if no rank has records: writes an empty log. Returns 0 or -1. */
static inline int reduce_write_empty(struct reduction *reduction) {
  place_down(&reduction->placed, &reduction->rank, &reduction->gathered, &reduction->facts);
  return place_complete(&reduction->placed, &reduction->rank);
}

static inline void reduce_facts_down(struct reduction *reduction) {
  struct facts *facts = &reduction->facts;
  if (rank_is_root(&reduction->rank) && !facts->failed && facts->bytes == 0 &&
      reduce_write_empty(reduction) < 0)
    facts->failed = 1;
  facts_down(facts, &reduction->rank);
  reduction->failed = facts->failed != 0;
  reduction->finished = facts->failed || facts->bytes == 0;
}

static inline void reduce_step(struct reduction *reduction, enum reduce_step step) {
  const struct rank *rank = &reduction->rank;
  struct facts *facts = &reduction->facts;
  struct gathered *gathered = &reduction->gathered;
  struct placed *placed = &reduction->placed;
  if (reduction->finished) return;
  switch (step) {
  case REDUCE_FACTS_UP:
    facts_up(facts, rank);
    break;
  case REDUCE_FACTS_DOWN:
    reduce_facts_down(reduction);
    break;
  case REDUCE_RECORDS_UP:
    gather_up(gathered, rank, facts);
    break;
  case REDUCE_PLACES_DOWN:
    place_down(placed, rank, gathered, facts);
    break;
  case REDUCE_WRITTEN_UP:
    place_up(placed, rank);
    break;
  case REDUCE_RESULT_DOWN:
    reduction->failed = place_result(placed, rank) < 0;
    reduction->finished = 1;
    break;
  case REDUCE_STEPS:
    break;
  }
}

/* Frees the memory. Returns 0 if the log is complete, -1 if there is no log. */
static inline int reduce_end(struct reduction *reduction) {
  gathered_drop(&reduction->gathered, &reduction->rank);
  facts_drop(&reduction->facts);
  return reduction->failed ? -1 : 0;
}

/* Runs all steps of the reduction, for a rank that has its own process. Returns 0 if the log is
 * complete, -1 if there is no log. */
static inline int reduce_all(struct rank_comm *comm, const struct reduce_source *source) {
  struct reduction reduction;
  reduce_begin(&reduction, comm, source);
  for (int step = 0; step < REDUCE_STEPS; step++)
    reduce_step(&reduction, (enum reduce_step)step);
  return reduce_end(&reduction);
}

#endif
