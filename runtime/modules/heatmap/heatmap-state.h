/* What the heat maps keep besides their records. */
#ifndef DARSHAN_HEATMAP_STATE_H
#define DARSHAN_HEATMAP_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"
#include "records.h"

/* Belongs to a counter record and is changed under its lock.  As long as the
 * transfers of a record begin and end within one bin, their bytes are in its
 * counters only; they are booked when a transfer leaves the bin. */
struct heatmap_span { /* the bin, in ticks; zeroed: none yet */
  uint64_t from, until;
};

/* For modules that keep nothing of the kind themselves: by record number. */
struct heatmap_slot {
  struct heatmap_span span;
  int64_t booked[2];
};

struct heatmap { /* one layer; in a line of its own */
  int lock;
  int refused; /* there was no room for its record */
  struct heatmap_record *record;
} __attribute__((aligned(64)));

struct heatmap_state {
  struct heatmap layers[HEATMAP_LAYERS];
  struct segments mpiio; /* heatmap_slot, by record number */
  double end;            /* seconds: when the last bin ends */
};

extern struct heatmap_state heatmap_state __attribute__((visibility("hidden")));

#endif
