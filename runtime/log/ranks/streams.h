/* What is ready to be written: per section of the log a stretch of compressed
 * streams, in memory here or kept by a rank below. */
#ifndef DARSHAN_RANKS_STREAMS_H
#define DARSHAN_RANKS_STREAMS_H

#include "../compress.h"
#include "candidates.h"

struct stretch {
  uint32_t section;
  uint32_t version; /* of the records */
  uint32_t partial; /* 1: records were left out */
  uint32_t crc;     /* of the stored bytes, in the annex */
  uint64_t stored;  /* bytes, compressed */
  uint64_t raw;     /* bytes, decompressed */
};

/* In order of section; each at most once. */
struct stretches {
  int count;
  struct stretch *lines;
  const char **bytes; /* of each line; NULL: kept by a rank below */
};

/* Compresses records into one stream and adds it behind the others: sections
 * come in ascending order.  A line is added even if there are none: it says
 * which version the records have.  0, or -1: no memory. */
int stretches_add(struct stretches *stretches, struct arena *arena,
                  struct log_compressor *compressor, const struct stretch *kind,
                  const struct log_records *records);
/* The same for bytes that are streams already, of a module outside the annex;
 * they must stay where they are. */
void stretches_add_ready(struct stretches *stretches, const struct stretch *kind, const void *bytes,
                         size_t n);
int stretches_prepare(struct stretches *stretches, struct arena *arena, int room);

/* Adds line b behind line a of the same section. */
void stretch_join(struct stretch *a, const struct stretch *b);
const struct stretch *stretches_find(const struct stretches *stretches, uint32_t section);

#endif
