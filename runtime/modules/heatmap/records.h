/* The layout of a heat map in the journal: all bins, bytes written first. The log gets only the
 * bins that the run needed. */
#ifndef DARSHAN_HEATMAP_RECORDS_H
#define DARSHAN_HEATMAP_RECORDS_H

#include "base-record.h"

enum heatmap_layer {
  HEATMAP_POSIX,
  HEATMAP_MPIIO,
  HEATMAP_STDIO,
  HEATMAP_DFS,
  HEATMAP_DAOS,
  HEATMAP_LAYERS
};

enum { HEATMAP_BINS = 200 };

struct heatmap_record {
  struct darshan_heatmap_head head;
  int64_t written[HEATMAP_BINS], read[HEATMAP_BINS]; /* bytes */
};

#endif
