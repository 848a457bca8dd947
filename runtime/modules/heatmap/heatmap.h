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
  int writes;                    /* 1: a write */
  int64_t bytes;
  uint64_t t1, t2; /* begin and end, in ticks */
};

/* The slow path of heatmap_add, for a transfer outside of the current bin: adds the bytes of that
 * bin to the heat map and makes the transfer's bin the current one. booked: bytes of the record,
 * read and written, that are already in the heat map. */
void heatmap_next(enum heatmap_layer layer, struct heatmap_span *span, int64_t booked[2],
                  const struct heatmap_transfer *transfer);

/* Adds a transfer to the layer's heat map. Returns at once if the transfer is within the current
 * bin: the bin's bytes are computed later from the record's counters. Called after each counted
 * transfer. The caller holds the record's lock. */
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
/* Adds the remaining bytes of all records of a module to bins, at the end of recording. */
void heatmap_settle(const struct heatmap_source *source);
void heatmap_ended(void);

/* Returns the seconds from the start of this process to the end of its recording. In a job,
 * heatmap_set_end sets the latest end of all ranks. */
double heatmap_end(void);
void heatmap_set_end(double seconds);

void heatmap_forked(void);

/* These functions work on any record of this layout, also of other modules. heatmap_begin gives a
 * new record its bins. heatmap_reach doubles their width until they cover this time. heatmap_spread
 * distributes an amount over the bins from start to end, in proportion to the time in each bin.
 * heatmap_enter returns the bin of a time, and stores the ticks at which it begins and ends. */
void heatmap_begin(struct heatmap_record *record);
void heatmap_reach(struct heatmap_record *record, double seconds);
void heatmap_spread(const struct heatmap_record *record, int64_t *bins, int64_t amount,
                    double start, double end);
int heatmap_enter(const struct heatmap_record *record, struct heatmap_span *span, double end);

/* Adds the heat maps of this process to a log. */
struct log_content;
void heatmap_add_part(struct log_content *content);

#endif
