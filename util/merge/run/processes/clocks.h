/* The clock differences between the hosts of a run. The rows of the event file are in the order in
 * which they were written. A row of host B after a row of host A was written later, whatever B's
 * clock says. So each pair of rows bounds the difference from one side. */
#ifndef DARSHAN_MERGE_CLOCKS_H
#define DARSHAN_MERGE_CLOCKS_H

#include "run.h"

enum { CLOCKS_MOST = 256 }; /* hosts; further ones are not compared */

struct host_clock {
  char host[RUN_HOST];
  int64_t latest;    /* latest time in its rows so far */
  int64_t low, high; /* bounds of the correction of its times, nanoseconds */
};

struct clocks { /* zeroed before its first use; the first host has the run's clock */
  struct host_clock host[CLOCKS_MOST];
  int count, more; /* more 1: there are further hosts */
};

/* Takes the next row. Returns the number of its host, or CLOCKS_MOST if the table is full. */
int clocks_take(struct clocks *clocks, const struct run_event *event);
/* Returns the nanoseconds to add to times of this host: 0 unless its clock certainly differs. */
int64_t clocks_behind(const struct clocks *clocks, int host);
/* Returns the error bound of the corrected times in nanoseconds, or -1 if it is not known. */
int64_t clocks_error(const struct clocks *clocks, int host);

#endif
