/* What all ranks have to agree on before anything is written: the first sweep
 * up the tree adds it up, and down again everybody hears it. */
#ifndef DARSHAN_RANKS_FACTS_H
#define DARSHAN_RANKS_FACTS_H

#include "sharing.h"

/* Nodes that are told apart; 1024 of these are 32 KiB in a message. */
enum { FACTS_HOSTS = 1024, FACTS_HOST_ROOM = 24 };

struct facts_host {
  uint64_t hash;
  char name[FACTS_HOST_ROOM]; /* up to its first dot, cut; ends in NUL */
};

struct facts_times { /* of the job record, and of the heat map */
  int64_t start_sec, start_nsec, end_sec, end_nsec;
  double last; /* seconds from start: when the last rank began to shut down */
};

struct facts {
  struct facts_times times;
  uint64_t bytes;           /* of records and names, over all ranks */
  uint32_t failed;          /* 1: a rank has no memory to take part */
  uint32_t gaps;            /* what a rank could not record (enum log_gap) */
  uint32_t num_hosts;       /* FACTS_HOSTS: so many, or more */
  struct facts_host *hosts; /* in order of rank; only on the way up */
  struct sharing sharing;
};

/* Of one rank.  host: its node's name. */
int facts_make(struct facts *facts, struct arena *arena, const char *host, const char *names,
               size_t names_length);
/* Adds what a child sent; -1: no memory, or no message of ours. */
int facts_merge(struct facts *facts, struct arena *arena, const void *message, size_t n);

/* The message; its bytes are in the arena. */
void *facts_encode(const struct facts *facts, struct arena *arena, int with_hosts, size_t *n);
/* The message must stay where it is. */
int facts_decode(struct facts *facts, const void *message, size_t n);

#endif
