/* State of the HEATMAP module that is not part of a record. */
#ifndef DARSHAN_HEATMAP_STATE_H
#define DARSHAN_HEATMAP_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"
#include "records.h"

/* The current bin of a counter record: its begin, and its end (exclusive), in ticks; both are 0
 * before the first transfer. Changes only under the record's lock. While the record's transfers
 * begin and end within this bin, their bytes are only in the record's counters. They are added to
 * the heat map when a transfer begins or ends outside of the bin. */
struct heatmap_span {
  uint64_t from, until;
};

/* The current bin of a counter record, for modules that have no such fields in their own tables.
 * Indexed by record number. */
struct heatmap_slot {
  struct heatmap_span span;
  int64_t booked[2]; /* bytes read and written that are in the heat map already */
};

struct heatmap { /* one layer, in its own cache line */
  int lock;
  int refused; /* 1: its record could not be made */
  struct heatmap_record *record;
} __attribute__((aligned(64)));

struct heatmap_state {
  struct heatmap layers[HEATMAP_LAYERS];
  struct segments mpiio; /* heatmap_slot, by number of the record */
  double end;            /* end of recording, in seconds from the start */
};

extern struct heatmap_state heatmap_state __attribute__((visibility("hidden")));

#endif
