/* State of the HEATMAP module that is not part of a record. */
#ifndef DARSHAN_HEATMAP_STATE_H
#define DARSHAN_HEATMAP_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"
#include "records.h"

/* The current bin of a counter record, changed under the record's lock. While the transfers of the
 * record begin and end within one bin, their bytes are only in its counters. They are added to the
 * heat map when a transfer leaves the bin. */
struct heatmap_span { /* in ticks; 0 before the first transfer */
  uint64_t from, until;
};

/* The bin of a counter record, by record number, for modules without such fields in their own
 * tables. */
struct heatmap_slot {
  struct heatmap_span span;
  int64_t booked[2];
};

struct heatmap { /* one layer, in its own cache line */
  int lock;
  int refused; /* its record could not be made */
  struct heatmap_record *record;
} __attribute__((aligned(64)));

struct heatmap_state {
  struct heatmap layers[HEATMAP_LAYERS];
  struct segments mpiio; /* heatmap_slot, by record number */
  double end;            /* seconds from the start to the end of recording */
};

extern struct heatmap_state heatmap_state __attribute__((visibility("hidden")));

#endif
