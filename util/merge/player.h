/* Many ranks in one process: the steps of the reduction in the order of the
 * tree, with messages that stay in memory.  What darshan-merge makes of
 * journals is therefore what the ranks would have written. */
#ifndef DARSHAN_PLAYER_H
#define DARSHAN_PLAYER_H

#include "../../runtime/log/ranks/reduce.h"

struct player_clock { /* of one rank, were it on a processor of its own; seconds */
  double now, busy;
  uint64_t sent, received, largest; /* bytes; largest: message */
};

struct player {
  int size;
  void *context;
  /* Fills the source of a rank, before its first step and again before its
   * records are taken; close follows.  0 or -1: the player stops. */
  int (*open)(void *context, int rank, struct reduce_source *source);
  void (*close)(void *context, int rank, struct reduce_source *source);
  /* May fail a message, or NULL. */
  int (*lose)(void *context, int from, int to);
  struct player_clock *clocks; /* one per rank, or NULL */
  double seconds_per_message;  /* that one needs on its way */
};

/* 0: the log is complete; -1: no log.  statuses: what each rank got, or NULL. */
int player_run(struct player *player, signed char *statuses);

#endif
