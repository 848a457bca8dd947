/* Plays many ranks in one process: runs the steps of the reduction in the order of the tree,
 * with messages in memory. So darshan-merge makes the log that the ranks themselves would have
 * written. */
#ifndef DARSHAN_PLAYER_H
#define DARSHAN_PLAYER_H

#include "../../runtime/log/ranks/reduce.h"

struct player_clock { /* of one rank, as if it had its own processor; seconds */
  double now, busy;
  uint64_t sent, received, largest; /* bytes; largest: of one message */
};

struct player {
  int size;
  void *context;
  /* Fills the source of a rank before its first step, and again before its records are taken. close
   * follows each time. Returns 0, or -1 to stop the player. */
  int (*open)(void *context, int rank, struct reduce_source *source);
  void (*close)(void *context, int rank, struct reduce_source *source);
  /* Returns 1 to deliver a message empty, as if it had failed. NULL: no message fails. */
  int (*lose)(void *context, int from, int to);
  struct player_clock *clocks; /* one per rank, or NULL */
  double seconds_per_message;  /* the latency of a message */
};

/* Runs the reduction and writes the log. statuses: gets the result of each rank; may be NULL.
 * Returns 0 if the log is complete, -1 if there is no log. */
int player_run(struct player *player, signed char *statuses);

#endif
