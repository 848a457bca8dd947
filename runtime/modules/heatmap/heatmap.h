/* Heat maps: bytes read and written over time, per layer, in bins that become twice as wide when
 * the run exceeds them.
 *
 * The bytes of a bin are the growth of a record's own counters during it, so a transfer within the
 * bin costs two comparisons. */
#ifndef DARSHAN_HEATMAP_H
#define DARSHAN_HEATMAP_H

#include "../../door/door.h"
#include "heatmap-state.h"

/* A transfer that its record has already counted. */
struct heatmap_transfer {
  const int64_t *read, *written; /* the record's counters of bytes */
  int writes;                    /* 1: a write */
  int64_t bytes;
  uint64_t t1, t2; /* ticks */
};

/* The slow path of heatmap_add: adds the bytes of the span's bin to the heat map and begins the
 * next span. booked: bytes of the record, read and written, that are already in the heat map. */
void heatmap_next(enum heatmap_layer layer, struct heatmap_span *span, int64_t booked[2],
                  const struct heatmap_transfer *transfer);

/* Adds a transfer to the layer's heat map, in the current bin if it is within that. Called after
 * each counted transfer. The caller holds the record's lock. */
static inline void heatmap_add(enum heatmap_layer layer, struct heatmap_span *span,
                               int64_t booked[2], const int64_t *read, const int64_t *written,
                               int writes, int64_t bytes, uint64_t t1, uint64_t t2) {
  if (LIKELY(t1 >= span->from && t2 < span->until)) return;
  struct heatmap_transfer transfer = {read, written, writes, bytes, t1, t2};
  heatmap_next(layer, span, booked, &transfer);
}

int heatmap_prepare(void);

/* The tables of a module with the data for its layer's heat map, by record number. */
struct heatmap_source {
  enum heatmap_layer layer;
  enum store_module module;
  const struct segments *locks; /* an item begins with the record's lock */
  const struct segments *spans;
  size_t span, booked; /* offsets in an item of spans: struct heatmap_span, int64_t [2] */
  int read, written;   /* counters of the record */
};
/* Adds the remaining bytes of all records of a module to bins, at the end of recording. */
void heatmap_settle(const struct heatmap_source *source);
void heatmap_ended(void);

/* Returns the seconds from the start of this process to the end of its recording. In a job,
 * heatmap_set_end sets the latest end of all ranks. */
double heatmap_end(void);
void heatmap_set_end(double seconds);

void heatmap_forked(void);

/* These functions are for records of this layout, also those of other modules. heatmap_begin gives
 * a new record its bins; heatmap_reach doubles their width until they reach this time;
 * heatmap_spread distributes an amount over the bins that the time from start to end overlaps, in
 * proportion to the time in each; heatmap_enter returns the bin of a time, and stores the ticks at
 * which it begins and ends. */
void heatmap_begin(struct heatmap_record *record);
void heatmap_reach(struct heatmap_record *record, double seconds);
void heatmap_spread(const struct heatmap_record *record, int64_t *bins, int64_t amount,
                    double start, double end);
int heatmap_enter(const struct heatmap_record *record, struct heatmap_span *span, double end);

/* Adds the heat maps of this process to a log. */
struct log_content;
void heatmap_add_part(struct log_content *content);

#endif
