/* Heat maps: bytes read and written over time, per layer, in bins that become
 * twice as wide whenever the run outgrows them.
 *
 * The bytes of a bin are what a record's own counters grew by meanwhile, so a
 * transfer costs two comparisons as long as it stays in the bin. */
#ifndef DARSHAN_HEATMAP_H
#define DARSHAN_HEATMAP_H

#include "../../door/door.h"
#include "heatmap-state.h"

/* A transfer that its record has already counted. */
struct heatmap_transfer {
  const int64_t *read, *written; /* the record's counters of bytes */
  int writes;                    /* 1: this one wrote */
  int64_t bytes;
  uint64_t t1, t2; /* ticks */
};

/* booked: bytes read and written that are in the heat map already. */
void heatmap_next(enum heatmap_layer layer, struct heatmap_span *span, int64_t booked[2],
                  const struct heatmap_transfer *transfer);

/* After each counted transfer, with the record's lock held. */
static inline void heatmap_add(enum heatmap_layer layer, struct heatmap_span *span,
                               int64_t booked[2], const int64_t *read, const int64_t *written,
                               int writes, int64_t bytes, uint64_t t1, uint64_t t2) {
  if (LIKELY(t1 >= span->from && t2 < span->until)) return;
  struct heatmap_transfer transfer = {read, written, writes, bytes, t1, t2};
  heatmap_next(layer, span, booked, &transfer);
}

int heatmap_prepare(void);

/* Where a module keeps what its layer's heat map needs, by record number. */
struct heatmap_source {
  enum heatmap_layer layer;
  enum store_module module;
  const struct segments *locks; /* an item begins with the record's lock */
  const struct segments *spans;
  size_t span, booked; /* where in an item of those: struct heatmap_span, int64_t [2] */
  int read, written;   /* counters of the record */
};
/* At the end of recording: books what no bin has yet, for all records of a module. */
void heatmap_settle(const struct heatmap_source *source);
void heatmap_ended(void);

/* Seconds from the start of this process to the end of its recording, and the
 * same for all processes of a job: the latest of them. */
double heatmap_end(void);
void heatmap_set_end(double seconds);

void heatmap_forked(void);

/* Folds until the bins reach this time. */
void heatmap_reach(struct heatmap_record *record, double seconds);

/* Adds the heat maps of this process to a log. */
struct log_content;
void heatmap_add_part(struct log_content *content);

#endif
