/* What all programs of a rank left, as one process would have left it: on the clock of
 * the run, with one record for a file. */
#ifndef DARSHAN_MERGE_COMBINE_H
#define DARSHAN_MERGE_COMBINE_H

#include "../../../runtime/log/compose.h"
#include "combined-module.h"
#include "heat.h"
#include "merge.h"
#include "part.h"

struct combined { /* zeroed before its first use; used again for the next rank */
  struct bytes names;
  struct map known;
  struct combined_module modules[PART_MODULES];
  struct log_content content;
};

struct combine_clock {
  struct heat_grid grid;
  double shift, end; /* seconds after the run's start: when the program began and ended */
};

void combined_clear(struct combined *combined);
/* A name, unless it is there. */
int combined_name(struct combined *combined, uint64_t id, const char *name);
/* Adds a part, which may be changed.  0, or -1: no memory. */
int combined_add(struct combined *combined, struct part *part, const struct combine_clock *clock);
/* A record that is complete. */
int combined_record(struct combined *combined, int module, const void *record, size_t size);
/* All of it, of this rank in the log; valid until the next change.  0 or -1. */
int combined_finish(struct combined *combined, int64_t rank);
void combined_free(struct combined *combined);

#endif
