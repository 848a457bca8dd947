/* The data of a rank that all steps of the reduction use: its records, its communicator and its
 * position in the tree of ranks. */
#ifndef DARSHAN_RANKS_RANK_H
#define DARSHAN_RANKS_RANK_H

#include <stdint.h>

#include "../../intercept/sys/sys.h"
#include "../../job/config/config.h"
#include "../../job/text/logname.h"
#include "../compose.h"

/* --- communication ------------------------------------------------------------ */

/* A communicator for the reduction. comm-mpi.c sends the messages by MPI; tests and darshan-merge
 * keep them in memory. */
struct rank_comm {
  int rank, size;
  void *context; /* data of the implementation */
  /* send and receive block and return 0 or -1. Messages between two ranks arrive in the order in
   * which they were sent. */
  int (*send)(struct rank_comm *comm, int to, const void *bytes, size_t n);
  /* Allocates the message with private_memory. The receiver frees it with sys_munmap(bytes, n),
   * unless n is 0. */
  int (*receive)(struct rank_comm *comm, int from, void **bytes, size_t *n);
};

/* --- records ----------------------------------------------------------------- */

struct facts; /* facts.h */

struct facts_times { /* times of the job record and of the heat map */
  int64_t start_sec, start_nsec, end_sec, end_nsec;
  double last; /* seconds from start until the last rank began its finalization */
};

/* Two times of each rank in seconds (modules_times), from which their variances over all ranks are
 * computed. */
struct facts_spread {
  double ranks;             /* number of ranks that have these times */
  int first;                /* the lowest of those ranks, as numbered in the communicator */
  double sum[2], square[2]; /* sums; sums of squared deviations */
};
static inline struct facts_spread facts_spread_of(const double times[2], int rank) {
  return (struct facts_spread){.ranks = 1, .first = rank, .sum = {times[0], times[1]}};
}

/* The processors that a rank may use: one bit for each processor, in RANK_PROCESSOR_WORDS words. */
enum { RANK_PROCESSOR_WORDS = 8 };
struct rank_processors {
  uint64_t bits[RANK_PROCESSOR_WORDS]; /* all 0: unknown, or the rank may use processors with higher
                                          numbers */
};

struct reduce_limits {
  size_t
      streams; /* most bytes of streams in a message; a rank with more writes its streams itself */
  size_t candidates; /* most bytes of candidates in memory; more are compressed early */
};
/* The default limits, in bytes. */
static const struct reduce_limits reduce_default_limits = {.streams = 4 << 20,
                                                           .candidates = 16 << 20};

/* The ranks of a shared record from an earlier reduction: their number, the lowest and the
 * highest. */
struct rank_span {
  uint32_t ranks;
  int32_t lowest, highest;
};

/* Numbers of dropped events by kind (struct lost_state), in the order of the metadata. */
enum { FACTS_DROPPED = 6 };
struct facts_dropped {
  uint64_t kinds[FACTS_DROPPED];
};

/* The records of one rank, unchanged until the last step. `context` is passed to the functions. */
struct reduce_source {
  void *context;
  int64_t rank;   /* in the log; the rank in the communicator may differ */
  int64_t nprocs; /* number of ranks in the job; a record of fewer ranks is partly shared */
  int keep_ranks; /* 1: each record stays in its rank */
  struct reduce_limits limits;
  const char *host; /* name of the host */
  struct rank_processors processors;
  const char *names; /* region of names */
  size_t names_length;
  uint64_t bytes;       /* of all records; only compared with 0 */
  const unsigned *gaps; /* enum log_gap, to which content may add; NULL: none */
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped;
  /* Fills in the records after all ranks have agreed on times. Returns 0 or -1. */
  int (*content)(void *context, const struct facts *agreed, struct log_content *content);
  /* Stores the span of a record with rank -1 and returns 1. Returns 0 if the record comes from this
   * rank alone. NULL: no record was reduced before. */
  int (*span)(void *context, int module, uint64_t id, struct rank_span *span);
  /* Root rank only: writes the job region, at most DARSHAN_JOB_REGION_MAX bytes; returns its
   * length. */
  size_t (*job)(void *context, const struct facts *agreed, char *out);
  /* Root rank only: settings and identity, of which the path of the log is made. */
  const struct darshan_config *config;
  struct darshan_log_identity identity;
  uint64_t begun_ns; /* CLOCK_MONOTONIC time when finalization began */
  char *final_path;  /* buffer for the path, DARSHAN_PATH_ROOM bytes */
};

/* --- the tree ----------------------------------------------------------------- */

/* The largest number of children of a rank. The parent of a rank is the rank number without its
 * lowest set bit. So the ranks below a rank follow it without a gap: data concatenated as self,
 * first child, second child, … are in order of rank. */
enum { TREE_CHILDREN = 31 };

static inline int tree_parent(int rank) {
  return rank & (rank - 1);
}

/* Returns the n-th child (from 0) of a rank in a tree of `size` ranks, -1 if it has fewer. */
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

/* Constants of the second tree, which the result (a few bytes) goes down: bits of a digit, mask of
 * a digit, and largest number of digits. Its base is 8 instead of 2, so it has fewer levels; a rank
 * may have to wait for a processor at each level. */
enum { TREE_BITS = 3, TREE_DIGIT = (1 << TREE_BITS) - 1, TREE_LEVELS = 31 / TREE_BITS };

/* Second tree: returns the index (from 0) of the lowest digit of the rank, in base 8, that is not
 * 0; TREE_LEVELS for rank 0. */
static inline int tree_level(int rank) {
  int level = 0;
  while (level < TREE_LEVELS && !(rank >> level * TREE_BITS & TREE_DIGIT))
    level++;
  return level;
}

static inline int tree_sender(int rank) {
  return rank & ~(TREE_DIGIT << tree_level(rank) * TREE_BITS);
}

/* Second tree: returns the n-th rank (from 0) to which this rank of `size` ranks sends the result,
 * or -1 if there are fewer. The receivers with the most ranks below them come first. */
static inline int tree_receiver(int rank, int size, int n) {
  for (int level = tree_level(rank); level-- > 0;)
    for (int digit = TREE_DIGIT; digit > 0; digit--)
      if (rank + ((int64_t)digit << level * TREE_BITS) < size && n-- == 0)
        return rank + (digit << level * TREE_BITS);
  return -1;
}

/* --- a rank and its messages ------------------------------------------------------ */

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

/* rank_receive waits for a message from rank `from`, which message_drop frees. Returns 0, or -1 and
 * an empty message if the communicator fails. rank_send sends n bytes to rank `to` and ignores
 * failures: the receiver then gets no message. */
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
