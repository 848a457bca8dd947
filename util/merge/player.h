/* Declares the player, which simulates all ranks of a reduction in one process. It runs the steps
 * in the order of the reduction tree, and keeps messages between ranks in memory. So darshan-merge
 * makes the same log that the ranks themselves would have written. */
#ifndef DARSHAN_PLAYER_H
#define DARSHAN_PLAYER_H

#include "../../runtime/log/ranks/reduce.h"

struct player_clock { /* times of one rank in seconds, as if it had its own processor */
  double now, busy;   /* simulated time with waiting for messages; processor time only */
  uint64_t sent, received, largest; /* bytes; largest: bytes of the largest message it sent */
};

struct player {
  int size;      /* number of ranks, numbered from 0 */
  void *context; /* argument of the functions below */
  /* Fills the source of a rank, once before its first step and again before its records are read.
   * source->context is NULL in the first call only. The player calls close after each open, also
   * after a failed one. Returns 0, or -1 to stop: the player checks this only in the first call. */
  int (*open)(void *context, int rank, struct reduce_source *source);
  void (*close)(void *context, int rank, struct reduce_source *source);
  /* For tests: returns 1 to deliver the message empty, as if its transfer had failed; otherwise 0.
   * NULL: no message fails. */
  int (*lose)(void *context, int from, int to);
  struct player_clock *clocks; /* one per rank, or NULL */
  double seconds_per_message;  /* latency of a message in seconds */
};

/* Runs the reduction and writes the log, whose path the sources of the ranks give. statuses:
 * receives the result of each rank, 0 or -1; may be NULL. Returns 0 if the log is complete, -1 if
 * there is no log. */
int player_run(struct player *player, signed char *statuses);

#endif
