/* Heat maps of a run: all have one bin width and one number of bins. See heat.h. */
#include "heat.h"

#include <math.h>

#include "../../../../runtime/modules/heatmap/records.h"

static const double least_width = 0.1; /* seconds */

struct heat_grid heat_grid_of(double seconds) {
  struct heat_grid grid = {least_width, 1};
  while (seconds / grid.width > HEATMAP_BINS)
    grid.width *= 2;
  if (seconds > grid.width) grid.bins = (int64_t)ceil(seconds / grid.width);
  return grid;
}

static int64_t bin_at(const struct heat_grid *grid, double time) {
  double bin = floor(time / grid->width);
  if (!(bin > 0)) return 0;
  return bin < (double)grid->bins ? (int64_t)bin : grid->bins - 1;
}

static void put(int64_t *bin, int64_t bytes) {
  *bin = (int64_t)((uint64_t)*bin + (uint64_t)bytes);
}

/* Returns the part of a bin's bytes that falls into the first `share` of the bin's time: 0 to all
 * of them, for a share of 0 to 1. */
static int64_t until(int64_t bytes, double share) {
  double part = floor((double)bytes * share);
  if (!(share < 1) || part >= (double)bytes) return bytes;
  return part > 0 ? (int64_t)part : 0;
}

static void share_out(const struct heat_grid *grid, int64_t *into, int64_t bytes, double from,
                      double to) {
  int64_t first = bin_at(grid, from), last = bin_at(grid, to), done = 0;
  if (last > first && (double)last * grid->width >= to) last--; /* it ends on the edge */
  for (int64_t bin = first; bin < last; bin++) {
    int64_t here = until(bytes, ((double)(bin + 1) * grid->width - from) / (to - from));
    put(&into[bin], here - done);
    done = here;
  }
  put(&into[last > first ? last : first], bytes - done);
}

void heat_add(const struct heat_grid *grid, int64_t *into, const int64_t *from, int64_t n,
              double width, double shift, double end) {
  for (int64_t i = 0; i < n; i++) {
    if (from[i] == 0) continue;
    double begin = shift + (double)i * width, stop = begin + width;
    if (end < stop) stop = end;
    if (from[i] < 0 || !(stop > begin) || !(width < 4e9))
      put(&into[bin_at(grid, begin)], from[i]);
    else
      share_out(grid, into, from[i], begin, stop);
  }
}
