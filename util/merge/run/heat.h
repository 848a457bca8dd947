/* The heat maps of a run have one bin width and one number of bins. */
#ifndef DARSHAN_MERGE_HEAT_H
#define DARSHAN_MERGE_HEAT_H

#include <stdint.h>

struct heat_grid {
  double width; /* seconds */
  int64_t bins;
};

/* As the runtime would have for a program of that many seconds. */
struct heat_grid heat_grid_of(double seconds);
/* Adds n bins of a program that began `shift` seconds after the run and ended at `end`.
 * Bytes of a bin that lies in several of the grid are shared out by time; none is lost. */
void heat_add(const struct heat_grid *grid, int64_t *into, const int64_t *from, int64_t n,
              double width, double shift, double end);

#endif
