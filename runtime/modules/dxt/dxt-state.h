/* What tracing keeps: per record a chain of segments, packed by pack.h, in
 * ordinary memory of fixed size. */
#ifndef DARSHAN_DXT_STATE_H
#define DARSHAN_DXT_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"

enum dxt_module { DXT_POSIX, DXT_MPIIO, DXT_MODULES };

struct dxt_chunk {
  struct dxt_chunk *next;
  uint32_t used, room; /* bytes */
  unsigned char bytes[];
};

enum dxt_decision { DXT_UNDECIDED, DXT_TRACED, DXT_NOT_TRACED };

/* What both ends of the packing know of the segment before. */
struct dxt_previous {
  uint64_t start;    /* in units of time */
  int64_t offset[2]; /* where the last read, the last write ended */
  int64_t length;
  uint64_t thread; /* if threads are recorded */
};

/* Belongs to a counter record and is changed under its lock. */
struct dxt_trace {
  unsigned char *next, *end; /* of the last chunk */
  struct dxt_previous previous;
  struct dxt_chunk *first, *last;
  uint64_t count[2]; /* reads, writes */
  uint32_t decision;
} __attribute__((aligned(64)));

struct dxt_recorder {
  struct segments traces; /* dxt_trace, by number of the counter record */
  uint32_t on;            /* 1: asked for */
  char *memory;           /* the chunks; NULL: none yet */
  uint64_t room, used;    /* bytes of it */
  uint32_t dropped;       /* 1: segments were left out */
};

struct dxt_state {
  int threads; /* 1: which thread made a transfer is recorded */
  struct dxt_recorder recorders[DXT_MODULES];
};

extern struct dxt_state dxt_state __attribute__((visibility("hidden")));

#endif
