/* The data of a rank that all steps use: its records, its communicator and its place in the
 * tree. */
#ifndef DARSHAN_RANKS_RANK_H
#define DARSHAN_RANKS_RANK_H

#include <stdint.h>

#include "../../intercept/sys/sys.h"
#include "../../job/config/config.h"
#include "../../job/text/logname.h"
#include "../compose.h"

/* --- communication ------------------------------------------------------------ */

/* A communicator as the reduction sees it. comm-mpi.c sends the messages by MPI; tests and
 * darshan-merge keep them in memory. */
struct rank_comm {
  int rank, size;
  void *context; /* of the implementation */
  /* Both block and return 0 or -1.  Messages between two ranks arrive in the
   * order in which they were sent. */
  int (*send)(struct rank_comm *comm, int to, const void *bytes, size_t n);
  /* Allocates the message with private_memory. The receiver frees it with sys_munmap(bytes, n),
   * unless n is 0. */
  int (*receive)(struct rank_comm *comm, int from, void **bytes, size_t *n);
};

/* --- records ----------------------------------------------------------------- */

struct facts; /* facts.h */

struct facts_times { /* of the job record, and of the heat map */
  int64_t start_sec, start_nsec, end_sec, end_nsec;
  double last; /* seconds from start until the last rank began its finalization */
};

/* Two times of each rank, and their variance over all ranks. */
struct facts_spread {
  double ranks;             /* number of ranks that have these times */
  int first;                /* the lowest of those ranks in the communicator */
  double sum[2], square[2]; /* sum; sum of squared deviations */
};
static inline struct facts_spread facts_spread_of(const double times[2], int rank) {
  return (struct facts_spread){.ranks = 1, .first = rank, .sum = {times[0], times[1]}};
}

/* The processors that a rank may use: number of 64-bit words with one bit for each processor. */
enum { RANK_PROCESSOR_WORDS = 8 };
struct rank_processors {
  uint64_t bits[RANK_PROCESSOR_WORDS]; /* all 0: unknown, or higher numbers are in use */
};

struct reduce_limits {
  size_t streams;    /* bytes in a message; a rank with more writes them itself */
  size_t candidates; /* bytes of candidates in memory */
};
/* A message has at most these two, and a table of sharing or some hosts. */
static const struct reduce_limits reduce_default_limits = {.streams = 4 << 20,
                                                           .candidates = 16 << 20};

/* The ranks of a shared record that was reduced before: their number, the lowest and the
 * highest. */
struct rank_span {
  uint32_t ranks;
  int32_t lowest, highest;
};

/* Events that were not counted (struct lost_state), in the order of the metadata. */
enum { FACTS_DROPPED = 6 };
struct facts_dropped {
  uint64_t kinds[FACTS_DROPPED];
};

/* The records of one rank; constant until the last step. The functions receive context. */
struct reduce_source {
  void *context;
  int64_t rank;   /* in the log; the rank in the communicator may differ */
  int64_t nprocs; /* of the job: records of fewer ranks are partly shared */
  int keep_ranks; /* 1: no record is combined */
  struct reduce_limits limits;
  const char *host;
  struct rank_processors processors;
  const char *names; /* region of names */
  size_t names_length;
  uint64_t bytes;       /* of all records; only tested for 0 */
  const unsigned *gaps; /* enum log_gap; content may add to it; NULL: none */
  struct facts_times times;
  struct facts_spread spread;
  struct facts_dropped dropped;
  /* Fills in the records, after all ranks have agreed on times. Returns 0 or -1. */
  int (*content)(void *context, const struct facts *agreed, struct log_content *content);
  /* Fills the span of a record with rank -1; returns 0 if this rank alone has it. NULL: no record
   * was reduced before. */
  int (*span)(void *context, int module, uint64_t id, struct rank_span *span);
  /* Root rank only: writes the job region, at most DARSHAN_JOB_REGION_MAX bytes; returns its
   * length. */
  size_t (*job)(void *context, const struct facts *agreed, char *out);
  /* Root rank only: the path of the log. */
  const struct darshan_config *config;
  struct darshan_log_identity identity;
  uint64_t begun_ns;
  char *final_path; /* receives the path, DARSHAN_PATH_ROOM bytes */
};

/* --- the tree ----------------------------------------------------------------- */

/* The largest number of children of a rank. The parent of a rank is the rank without its lowest
 * set bit. The ranks below a rank thus follow it without a gap: data that are concatenated as
 * self, first child, second child, … are in order of rank. */
enum { TREE_CHILDREN = 31 };

static inline int tree_parent(int rank) {
  return rank & (rank - 1);
}

/* Returns the n-th child, -1 if there are fewer. */
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

/* The tree for the result, a few bytes, which goes down a tree of base 8 instead of 2: bits of a
 * digit, its mask, and the largest number of digits. This tree has fewer levels, and a rank may
 * have to wait for a processor at each level. */
enum { TREE_BITS = 3, TREE_DIGIT = (1 << TREE_BITS) - 1, TREE_LEVELS = 31 / TREE_BITS };

/* Returns the index of the lowest digit that is not 0, TREE_LEVELS for rank 0. */
static inline int tree_level(int rank) {
  int level = 0;
  while (level < TREE_LEVELS && !(rank >> level * TREE_BITS & TREE_DIGIT))
    level++;
  return level;
}

static inline int tree_sender(int rank) {
  return rank & ~(TREE_DIGIT << tree_level(rank) * TREE_BITS);
}

/* Returns the n-th receiver of this rank, the one with the most ranks below it first; -1 if there
 * are fewer. */
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

/* Receives a message from any rank. Returns 0, or -1 if there is no message. rank_send sends to
 * any rank. */
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
