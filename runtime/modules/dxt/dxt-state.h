/* State of DXT tracing: for each record a chain of chunks with segments (pack.h), in private memory
 * of fixed size. */
#ifndef DARSHAN_DXT_STATE_H
#define DARSHAN_DXT_STATE_H

#include <stdint.h>

#include "../../memory/segments.h"

enum dxt_module { DXT_POSIX, DXT_MPIIO, DXT_MODULES };

/* Memory for packed segments of one trace. */
struct dxt_chunk {
  struct dxt_chunk *next; /* of the same trace; NULL: the last one */
  uint32_t used, room;    /* in bytes */
  unsigned char bytes[];
};

enum dxt_decision { DXT_UNDECIDED, DXT_TRACED, DXT_NOT_TRACED };

/* The fields of the previous segment, from which a segment is packed as differences. */
struct dxt_previous {
  uint64_t start;    /* in units of 2^-21 s (pack.h) */
  int64_t offset[2]; /* end of the last read and of the last write */
  int64_t length;
  uint64_t thread; /* set if threads are recorded */
};

/* The trace of a counter record. Changes only under the record's lock. */
struct dxt_trace {
  unsigned char *next, *end; /* where the next segment goes, and the end of the last chunk */
  struct dxt_previous previous;
  struct dxt_chunk *first, *last; /* NULL: no segment yet */
  uint64_t count[2];              /* number of reads, of writes */
  uint32_t decision;              /* enum dxt_decision */
} __attribute__((aligned(64)));

struct dxt_recorder {
  struct segments traces; /* dxt_trace, by number of the counter record */
  uint32_t on;            /* 1: the module is enabled */
  char *memory;           /* holds the chunks; NULL before the first segment */
  uint64_t room, used;    /* bytes of memory */
  uint32_t dropped; /* 1: segments are missing: the memory was full, or files share a record */
};

struct dxt_state {
  int threads; /* 1: the thread of each transfer is recorded */
  struct dxt_recorder recorders[DXT_MODULES];
};

extern struct dxt_state dxt_state __attribute__((visibility("hidden")));

#endif
