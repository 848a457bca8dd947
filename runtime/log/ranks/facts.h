/* Facts that all ranks must share before they write: times, nodes, and how many ranks know each
 * record. The first sweep up the tree adds them up; the sweep down sends them to all ranks. */
#ifndef DARSHAN_RANKS_FACTS_H
#define DARSHAN_RANKS_FACTS_H

#include <stdint.h>

#include "../arena.h"
#include "rank.h"

/* --- how many ranks know a record ------------------------------------------------- */

/* Number of ranks that know each record id. For few ids it is a list; for many it is a table of
 * counts by some bits of the id. The ids of a bucket that only one rank fills are known to that
 * rank alone. */
enum {
  SHARING_BUCKETS = 1 << 20,
  SHARING_LIST = SHARING_BUCKETS / sizeof(uint64_t), /* for more, a byte per bucket is smaller */
  SHARING_MANY = INT32_MAX                           /* more ranks than can be counted */
};

struct sharing {
  uint32_t count;          /* entries of the list; SHARING_BUCKETS: a byte per bucket */
  const uint64_t *entries; /* 48 bits of an id, then 16 bits of ranks; ascending */
  uint8_t *counts;
};

/* Makes the table of a name region. Returns 0, or -1 if out of memory. */
int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length);
/* Adds a table whose bytes are in a message. Returns 0, or -1 if out of memory. */
int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other);
/* Returns the number of ranks that have this id, or another id of its bucket; SHARING_MANY if there
 * are too many to count. */
unsigned sharing_ranks(const struct sharing *table, uint64_t id);
/* Returns 1 if exactly that many ranks know the id, unless two ids have the same upper 48 bits.
 * Returns 0 for a table of buckets and for 65,535 ranks or more. */
int sharing_known_to(const struct sharing *table, uint64_t id, unsigned ranks);

static inline const void *sharing_bytes(const struct sharing *table) {
  return table->counts ? (const void *)table->counts : table->entries;
}
static inline size_t sharing_size(uint32_t count) {
  return count == SHARING_BUCKETS ? SHARING_BUCKETS : count * sizeof(uint64_t);
}
/* Returns a table that points to the bytes of a message. */
struct sharing sharing_at(const void *bytes, uint32_t count);

/* --- all facts ---------------------------------------------------------------- */

/* Nodes that are distinguished; 1024 of them take 96 KiB in a message. */
enum { FACTS_HOSTS = 1024, FACTS_HOST_ROOM = 24 };

struct facts_host {
  uint64_t hash;
  struct rank_processors processors; /* of all its ranks together */
  char name[FACTS_HOST_ROOM];        /* up to its first dot, truncated, with NUL */
};

struct facts {
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped; /* by all ranks */
  uint64_t bytes;               /* of records and names, over all ranks */
  uint32_t failed;              /* 1: a rank is out of memory and cannot take part */
  uint32_t gaps;                /* what a rank could not record (enum log_gap) */
  uint32_t num_hosts;           /* FACTS_HOSTS: that many, or more */
  struct facts_host *hosts;     /* in order of rank; only on the way up */
  struct sharing sharing;
  struct arena arena;    /* has hosts and sharing on the way up and in the root rank */
  struct message agreed; /* has sharing on the way down, below the root rank */
};

/* The first two steps. facts_up sends the facts of this rank and of the ranks below to the parent;
 * facts_down receives the facts of all ranks and passes them down. Both set facts->failed if out of
 * memory, or if a message is invalid. */
void facts_up(struct facts *facts, const struct rank *rank);
void facts_down(struct facts *facts, const struct rank *rank);
/* Returns the number of processors that the ranks may use on all hosts; 0 if it is unknown for one
 * host, or if there may be more hosts than the table has. */
uint32_t facts_processors(const struct facts *facts);
/* Computes the variances over all ranks that have such times, 0 if no rank has. */
void facts_variances(const struct facts *facts, double variances[2]);
/* Frees the memory; hosts and sharing become invalid. */
void facts_drop(struct facts *facts);

#endif
