/* How the clocks of a run's hosts differ.  Rows are in the order in which they were
 * written: one of host B that stands behind one of host A came later, whatever its
 * clock said.  So each pair bounds the difference from one side. */
#ifndef DARSHAN_MERGE_CLOCKS_H
#define DARSHAN_MERGE_CLOCKS_H

#include "run.h"

enum { CLOCKS_MOST = 256 }; /* hosts; further ones are not compared */

struct host_clock {
  char host[RUN_HOST];
  int64_t latest;    /* of its rows until now */
  int64_t low, high; /* what is to be added to its times lies between */
};

struct clocks { /* zeroed before its first use; the first host's is the run's clock */
  struct host_clock host[CLOCKS_MOST];
  int count, more; /* more 1: there were further hosts */
};

/* The next row; returns its host's number, CLOCKS_MOST if there is no room. */
int clocks_take(struct clocks *clocks, const struct run_event *event);
/* Nanoseconds that are to be added to times of this host: 0, unless its clock differs for
 * sure. */
int64_t clocks_behind(const struct clocks *clocks, int host);
/* How far its times may be wrong then; negative: not known. */
int64_t clocks_error(const struct clocks *clocks, int host);

#endif
