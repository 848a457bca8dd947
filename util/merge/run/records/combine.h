/* Combines the records of all programs of a rank into the records that a single process would have:
 * times on the run's clock, one record per file. */
#ifndef DARSHAN_MERGE_COMBINE_H
#define DARSHAN_MERGE_COMBINE_H

#include "../../../../runtime/log/compose.h"
#include "combined-module.h"
#include "merge/merge.h"
#include "part.h"
#include <stdint.h>

/* The grid of a run's heat maps: one bin width and one number of bins for all. */
struct heat_grid {
  double width; /* seconds */
  int64_t bins;
};

struct combined {     /* zeroed before its first use; reused for the next rank */
  struct bytes names; /* record ids, each with its name and NUL */
  struct map known;   /* ids that have a name */
  struct combined_module modules[PART_MODULES]; /* indexed by module id */
  struct log_content content; /* what the reduction reads; set by combined_finish */
};

/* The position of a program's records in the run. */
struct combine_clock {
  struct heat_grid grid; /* of the run's heat maps */
  double shift, end;     /* start and exit of the program, seconds after the run's start */
};

/* Removes all records and names. */
void combined_clear(struct combined *combined);
/* Adds a name unless its id is already known. Returns 0, or -1 if out of memory. */
int combined_name(struct combined *combined, uint64_t id, const char *name);
/* Adds the records of a part: sums the records of a file that are there already. Changes the times
 * in `part`. Ignores PROCESS and SHARED records, which the merger makes, and kinds of records that
 * no part of a run has. Returns 0, or -1 if out of memory. */
int combined_add(struct combined *combined, struct part *part, const struct combine_clock *clock);
/* Appends a complete record of a module, even if its id has one. size: bytes. Returns 0, or -1 if
 * out of memory. */
int combined_record(struct combined *combined, int module, const void *record, size_t size);
/* Sets the rank of all records and fills combined->content with them; valid until the next change.
 * Returns 0, or -1 if out of memory. */
int combined_finish(struct combined *combined, int64_t rank);
void combined_free(struct combined *combined);

/* Returns the grid that the runtime uses for heat maps of a run time of `seconds`. */
struct heat_grid heat_grid_of(double seconds);
/* Adds n bins of a program to `into`. shift: start of the program, seconds after the run's start.
 * end: its exit, on the same scale. width: seconds per bin of `from`. Distributes the bytes of a
 * bin over grid bins by time; the sum stays exact. */
void heat_add(const struct heat_grid *grid, int64_t *into, const int64_t *from, int64_t n,
              double width, double shift, double end);

#endif
