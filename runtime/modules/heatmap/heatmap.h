/* Heat maps: bytes read and written over time, per layer, in bins that become twice as wide when
 * the run exceeds them. The bytes of a bin are computed from the growth of a record's own counters
 * during the bin, so a transfer within the bin costs only two comparisons. */
#ifndef DARSHAN_HEATMAP_H
#define DARSHAN_HEATMAP_H

#include "../../door/door.h"
#include "heatmap-state.h"

/* A transfer, which the counters of its record already include. */
struct heatmap_transfer {
  const int64_t *read, *written; /* the record's counters of bytes */
  int writes;                    /* 1: a write, 0: a read */
  int64_t bytes;
  uint64_t t1, t2; /* begin and end, in ticks */
};

/* The slow path of heatmap_add, for a transfer outside of the record's current bin (*span): adds
 * the bytes of that bin, and then of the transfer, to the layer's heat map, and makes the bin of
 * the transfer's end the current one. booked: bytes of the record, read and written, that are
 * already in the heat map; updated. The caller holds the record's lock. */
void heatmap_next(enum heatmap_layer layer, struct heatmap_span *span, int64_t booked[2],
                  const struct heatmap_transfer *transfer);

/* Adds a transfer to the layer's heat map. Does nothing if the transfer is within the record's
 * current bin: the bin's bytes are computed later from the record's counters of bytes, *read and
 * *written. Called after each counted transfer. writes: 1: a write, 0: a read. t1, t2: begin and
 * end in ticks. span, booked: as in heatmap_next. The caller holds the record's lock. */
static inline void heatmap_add(enum heatmap_layer layer, struct heatmap_span *span,
                               int64_t booked[2], const int64_t *read, const int64_t *written,
                               int writes, int64_t bytes, uint64_t t1, uint64_t t2) {
  if (LIKELY(t1 >= span->from && t2 < span->until)) return;
  struct heatmap_transfer transfer = {read, written, writes, bytes, t1, t2};
  heatmap_next(layer, span, booked, &transfer);
}

int heatmap_prepare(void);

/* The tables of a module from which heatmap_settle takes its data, by record number. */
struct heatmap_source {
  enum heatmap_layer layer;
  enum store_module module;
  const struct segments *locks; /* an item begins with the record's lock */
  const struct segments *spans;
  size_t span, booked; /* offsets in an item of spans: struct heatmap_span, int64_t [2] */
  int read, written;   /* indexes of the record's counters of bytes */
};
/* Adds the bytes of all records of a module that are not in the heat map yet, at the end of
 * recording, each to its record's current bin. Locks each record. */
void heatmap_settle(const struct heatmap_source *source);
/* Called when recording ends: stores the time, for heatmap_end. */
void heatmap_ended(void);

/* Returns the seconds from the start of this process to the end of its recording. In a job,
 * heatmap_set_end sets the latest end of all ranks. */
double heatmap_end(void);
void heatmap_set_end(double seconds);

void heatmap_forked(void);

/* These functions work on any record of this layout, also of other modules; times are seconds from
 * the start of the process. heatmap_begin sets the width (0.1 s) and the number of bins of a new
 * record. heatmap_reach doubles the width, and adds up pairs of bins, until the bins cover this
 * time. heatmap_spread distributes an amount over the bins from start to end, in proportion to the
 * time in each bin. heatmap_enter returns the index of the bin of the time `end`, and stores the
 * ticks at which that bin begins and ends. */
void heatmap_begin(struct heatmap_record *record);
void heatmap_reach(struct heatmap_record *record, double seconds);
void heatmap_spread(const struct heatmap_record *record, int64_t *bins, int64_t amount,
                    double start, double end);
int heatmap_enter(const struct heatmap_record *record, struct heatmap_span *span, double end);

struct log_content;
/* Adds the heat maps of this process, one record per layer with traffic, to a log. */
void heatmap_add_part(struct log_content *content);

#endif
