/* One rank as all steps see it: what it brings, and with whom it talks. */
#ifndef DARSHAN_RANKS_RANK_H
#define DARSHAN_RANKS_RANK_H

#include <stdint.h>

#include "../../intercept/sys.h"
#include "../../job/config.h"
#include "../../job/logname.h"
#include "../compose.h"

/* --- with whom it talks ------------------------------------------------------- */

/* A communicator as the reduction sees it: messages between ranks, whoever
 * carries them.  comm-mpi.c does it in an MPI job; tests and darshan-merge keep
 * the messages in memory. */
struct rank_comm {
  int rank, size;
  void *context; /* of whoever carries the messages */
  /* Both block and return 0 or -1.  Messages between two ranks arrive in the
   * order in which they were sent. */
  int (*send)(struct rank_comm *comm, int to, const void *bytes, size_t n);
  /* The message is allocated with private_memory: the receiver gives it
   * back with sys_munmap(bytes, n), nothing if n is 0. */
  int (*receive)(struct rank_comm *comm, int from, void **bytes, size_t *n);
};

/* --- what it brings ---------------------------------------------------------- */

struct facts; /* facts.h: what all ranks have agreed on */

struct facts_times { /* of the job record, and of the heat map */
  int64_t start_sec, start_nsec, end_sec, end_nsec;
  double last; /* seconds from start: when the last rank began to shut down */
};

/* Two times of each rank: how far they lie apart over all. */
struct facts_spread {
  double ranks;             /* that have them */
  int first;                /* the lowest of those, as they talk with each other */
  double sum[2], square[2]; /* and sum of squared deviations */
};
static inline struct facts_spread facts_spread_of(const double times[2], int rank) {
  return (struct facts_spread){.ranks = 1, .first = rank, .sum = {times[0], times[1]}};
}

/* The processors that a rank may use, a bit each. */
enum { RANK_PROCESSOR_WORDS = 8 };
struct rank_processors {
  uint64_t bits[RANK_PROCESSOR_WORDS]; /* none: not known, or there are more */
};

struct reduce_limits {
  size_t streams;    /* bytes that travel in a message; with more, a rank writes itself */
  size_t candidates; /* bytes of records that may yet be merged, in memory */
};
/* A message is at most these two, and a table of sharing or some hosts. */
static const struct reduce_limits reduce_default_limits = {.streams = 4 << 20,
                                                           .candidates = 16 << 20};

/* Of a record that ranks made together before: how many of the job, and between which. */
struct rank_span {
  uint32_t ranks;
  int32_t lowest, highest;
};

/* Events that were not counted (struct lost_state), in the order of the metadata. */
enum { FACTS_DROPPED = 6 };
struct facts_dropped {
  uint64_t kinds[FACTS_DROPPED];
};

/* Functions may use context.  Stays as it is until the last step. */
struct reduce_source {
  void *context;
  int64_t rank;   /* in the log; the communicator may number otherwise */
  int64_t nprocs; /* of the job: records of less ranks are partly shared */
  int keep_ranks; /* 1: no record is combined */
  struct reduce_limits limits;
  const char *host;
  struct rank_processors processors;
  const char *names; /* region of names */
  size_t names_length;
  uint64_t bytes;       /* of all records; only whether there are any matters */
  const unsigned *gaps; /* enum log_gap; content may add to it; NULL: none */
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped;
  /* The records, now that all ranks have agreed on times.  0 or -1. */
  int (*content)(void *context, const struct facts *agreed, struct log_content *content);
  /* Fills the span of a record whose rank is -1; 0: it is this rank's alone.  NULL: there are
   * no such. */
  int (*span)(void *context, int module, uint64_t id, struct rank_span *span);
  /* Root only: the job region, at most DARSHAN_JOB_REGION_MAX bytes; its length. */
  size_t (*job)(void *context, const struct facts *agreed, char *out);
  /* Root only: where the log goes. */
  const struct darshan_config *config;
  struct darshan_log_identity identity;
  uint64_t begun_ns;
  char *final_path; /* receives the path, DARSHAN_PATH_ROOM bytes */
};

/* --- the tree ----------------------------------------------------------------- */

/* The parent of a rank is the rank without its lowest bit, so the ranks below a
 * rank follow it without a gap: what is put together as self, first child, second
 * child ... is in order of rank. */
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

/* --- the rank, in its place in the tree ------------------------------------------ */

struct rank {
  struct rank_comm *comm;
  const struct reduce_source *source;
};

static inline int rank_is_root(const struct rank *rank) {
  return rank->comm->rank == 0;
}
static inline int rank_children(const struct rank *rank) {
  return tree_children(rank->comm->rank, rank->comm->size);
}

struct message {
  char *bytes;
  size_t n;
};

static inline void message_drop(struct message *message) {
  if (message->bytes) sys_munmap(message->bytes, message->n);
  *message = (struct message){NULL, 0};
}

/* From and to any rank.  0, or -1: there is none. */
static inline int rank_receive(const struct rank *rank, int from, struct message *message) {
  void *bytes = NULL;
  size_t n = 0;
  *message = (struct message){NULL, 0};
  if (rank->comm->receive(rank->comm, from, &bytes, &n) < 0) return -1;
  *message = (struct message){bytes, n};
  return 0;
}
static inline void rank_send(const struct rank *rank, int to, const void *bytes, size_t n) {
  rank->comm->send(rank->comm, to, bytes, n);
}

static inline int parent_receive(const struct rank *rank, struct message *message) {
  return rank_receive(rank, tree_parent(rank->comm->rank), message);
}
static inline void parent_send(const struct rank *rank, const void *bytes, size_t n) {
  rank_send(rank, tree_parent(rank->comm->rank), bytes, n);
}
static inline int child_receive(const struct rank *rank, int n, struct message *message) {
  return rank_receive(rank, tree_child(rank->comm->rank, rank->comm->size, n), message);
}
static inline void child_send(const struct rank *rank, int n, const void *bytes, size_t size) {
  rank_send(rank, tree_child(rank->comm->rank, rank->comm->size, n), bytes, size);
}

#endif
