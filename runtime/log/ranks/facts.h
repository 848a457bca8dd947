/* What all ranks have to agree on before anything is written: when, where, and who
 * knows which record.  The first sweep up the tree adds it up, and down again
 * everybody hears it. */
#ifndef DARSHAN_RANKS_FACTS_H
#define DARSHAN_RANKS_FACTS_H

#include <stdint.h>

#include "../arena.h"
#include "rank.h"

/* --- who knows a record ---------------------------------------------------------- */

/* How many ranks know a record id.  While there are few: a list of ids.  Beyond:
 * a table of counts by some bits of the id; a bucket that one rank alone fills
 * holds nothing that another rank has. */
enum {
  SHARING_BUCKETS = 1 << 20,
  SHARING_LIST = SHARING_BUCKETS / sizeof(uint64_t), /* beyond, a byte per bucket is smaller */
  SHARING_MANY = INT32_MAX                           /* ranks: more than can be counted */
};

struct sharing {
  uint32_t count;          /* entries of the list; SHARING_BUCKETS: a byte per bucket */
  const uint64_t *entries; /* 48 bits of an id, then 16 of how many ranks; ascending */
  uint8_t *counts;
};

/* From a name region.  0, or -1: no memory. */
int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length);
/* Adds a table; its bytes stand in a message. */
int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other);
/* Ranks that have this id, or one of the same bucket; SHARING_MANY: or more. */
unsigned sharing_ranks(const struct sharing *table, uint64_t id);
/* Known to exactly that many ranks, unless two ids are the same in their upper 48
 * bits; never true of a table by buckets, or of 65,535 ranks and more. */
int sharing_known_to(const struct sharing *table, uint64_t id, unsigned ranks);

static inline const void *sharing_bytes(const struct sharing *table) {
  return table->counts ? (const void *)table->counts : table->entries;
}
static inline size_t sharing_size(uint32_t count) {
  return count == SHARING_BUCKETS ? SHARING_BUCKETS : count * sizeof(uint64_t);
}
/* A table whose bytes are elsewhere. */
struct sharing sharing_at(const void *bytes, uint32_t count);

/* --- all of it ---------------------------------------------------------------- */

/* Nodes that are told apart; 1024 of these are 96 KiB in a message. */
enum { FACTS_HOSTS = 1024, FACTS_HOST_ROOM = 24 };

struct facts_host {
  uint64_t hash;
  struct rank_processors processors; /* of all its ranks together */
  char name[FACTS_HOST_ROOM];        /* up to its first dot, cut; ends in NUL */
};

struct facts {
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped; /* by all ranks */
  uint64_t bytes;               /* of records and names, over all ranks */
  uint32_t failed;              /* 1: a rank has no memory to take part */
  uint32_t gaps;                /* what a rank could not record (enum log_gap) */
  uint32_t num_hosts;           /* FACTS_HOSTS: so many, or more */
  struct facts_host *hosts;     /* in order of rank; only on the way up */
  struct sharing sharing;
  struct arena arena;    /* of hosts and sharing, on the way up and in the root */
  struct message agreed; /* what sharing is in, below the root */
};

/* The first two steps.  What went wrong is in failed: no memory, or a message that
 * is not ours. */
void facts_up(struct facts *facts, const struct rank *rank);
void facts_down(struct facts *facts, const struct rank *rank);
/* Processors that the ranks may use, over all hosts; 0: not known of one of them. */
uint32_t facts_processors(const struct facts *facts);
/* Of all ranks that have such times; 0 if there are none. */
void facts_variances(const struct facts *facts, double variances[2]);
/* Gives the memory back, without which hosts and sharing are nothing. */
void facts_drop(struct facts *facts);

#endif
