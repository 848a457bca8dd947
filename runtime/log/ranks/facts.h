/* Facts that all ranks must agree on before they write: times, nodes, and how many ranks know each
 * record. The first sweep up the tree of ranks adds them up; the sweep down sends the sums to all
 * ranks. */
#ifndef DARSHAN_RANKS_FACTS_H
#define DARSHAN_RANKS_FACTS_H

#include <stdint.h>

#include "../arena.h"
#include "rank.h"

/* --- how many ranks know a record ------------------------------------------------- */

/* Number of ranks that know each record id. For few ids it is a list of ids; for many it is a table
 * of counts, whose buckets are chosen by some bits of the id. If only one rank fills a bucket, that
 * rank alone knows the ids of the bucket. */
enum {
  SHARING_BUCKETS = 1 << 20,
  SHARING_LIST =
      SHARING_BUCKETS / sizeof(uint64_t), /* with so many ids, a byte per bucket is no larger */
  SHARING_MANY = INT32_MAX                /* stands for more ranks than can be counted */
};

struct sharing {
  uint32_t count; /* number of entries of the list; SHARING_BUCKETS: there is a byte per bucket
                     instead */
  const uint64_t *entries; /* 48 bits of an id, then a 16-bit number of ranks; ascending */
  uint8_t *counts;         /* number of ranks of each bucket, 255: 255 or more; NULL: a list */
};

/* Makes the table of one rank in the arena from its region of names (ids and names, `length`
 * bytes). Returns 0, or -1 if out of memory. */
int sharing_make(struct sharing *table, struct arena *arena, const char *names, size_t length);
/* Adds the counts of `other`, the table of a message; the result is in the arena. Returns 0, or -1
 * if out of memory. */
int sharing_merge(struct sharing *table, struct arena *arena, const struct sharing *other);
/* Returns the number of ranks that know this id, or SHARING_MANY if there are too many to count. In
 * a list, ids with the same upper 48 bits count as one. A table of buckets returns the sum over all
 * ids of the bucket. */
unsigned sharing_ranks(const struct sharing *table, uint64_t id);
/* Returns 1 if exactly `ranks` ranks know the id; two ids with the same upper 48 bits count as one.
 * Returns 0 for a table of buckets and for 65,535 ranks or more. */
int sharing_known_to(const struct sharing *table, uint64_t id, unsigned ranks);

static inline const void *sharing_bytes(const struct sharing *table) {
  return table->counts ? (const void *)table->counts : table->entries;
}
static inline size_t sharing_size(uint32_t count) {
  return count == SHARING_BUCKETS ? SHARING_BUCKETS : count * sizeof(uint64_t);
}
/* Returns a table of `count` entries, or of counts per bucket if `count` is SHARING_BUCKETS. The
 * table points to `bytes`, the bytes of a message, and does not own them. */
struct sharing sharing_at(const void *bytes, uint32_t count);

/* --- all facts ---------------------------------------------------------------- */

/* Largest number of nodes that are distinguished (they take 96 KiB in a message), and bytes of a
 * host's name. */
enum { FACTS_HOSTS = 1024, FACTS_HOST_ROOM = 24 };

struct facts_host {
  uint64_t hash;                     /* of the whole host name */
  struct rank_processors processors; /* of all ranks on this host; 0: one is unknown */
  char name[FACTS_HOST_ROOM];        /* host name up to its first dot, truncated, with a NUL */
};

struct facts {
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped; /* sums over all ranks */
  uint64_t bytes;               /* bytes of records and names of all ranks */
  uint32_t failed;              /* 1: no log: a rank lacks memory, or a message is damaged */
  uint32_t gaps;                /* what some rank could not record (enum log_gap) */
  uint32_t num_hosts;           /* FACTS_HOSTS: there are at least that many */
  struct facts_host *hosts;     /* in order of rank; set only on the way up and in the root rank */
  struct sharing sharing;
  struct arena arena;    /* holds hosts and sharing on the way up and in the root rank */
  struct message agreed; /* holds sharing on the way down, below the root rank */
};

/* The first two steps of the reduction. facts_up adds up the facts of this rank and the ranks below
 * it, and sends them to the parent. facts_down receives the facts of all ranks and passes them
 * down. Both set facts->failed if out of memory, or if a message is lost or invalid. */
void facts_up(struct facts *facts, const struct rank *rank);
void facts_down(struct facts *facts, const struct rank *rank);
/* Returns the number of processors that the ranks may use on all hosts; 0 if it is unknown for one
 * host, or if there may be more hosts than the table has. */
uint32_t facts_processors(const struct facts *facts);
/* Computes the variances (in seconds squared) of the two times in facts_spread over all ranks that
 * have them; 0 if no rank has them. */
void facts_variances(const struct facts *facts, double variances[2]);
/* Frees the memory; hosts and sharing become invalid. */
void facts_drop(struct facts *facts);

#endif
