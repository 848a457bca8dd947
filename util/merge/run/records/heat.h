/* Heat maps of a run: all have one bin width and one number of bins. */
#ifndef DARSHAN_MERGE_HEAT_H
#define DARSHAN_MERGE_HEAT_H

#include <stdint.h>

struct heat_grid {
  double width; /* seconds */
  int64_t bins;
};

/* Returns the grid that the runtime uses for a run time of so many seconds. */
struct heat_grid heat_grid_of(double seconds);
/* Adds n bins of a program that began `shift` seconds after the run and exited at `end`.
 * Distributes the bytes of a bin over grid bins by time; the sum stays exact. */
void heat_add(const struct heat_grid *grid, int64_t *into, const int64_t *from, int64_t n,
              double width, double shift, double end);

#endif
