/* From records to streams: what need not travel further is compressed by this
 * rank.  That is what it alone has, at once; what all have who know it; and what is
 * too much to be kept in memory. */
#ifndef DARSHAN_RANKS_STREAMS_H
#define DARSHAN_RANKS_STREAMS_H

#include "../compress.h"
#include "candidates.h"
#include "facts.h"
#include "log-format.h"

/* --- streams ----------------------------------------------------------------------- */

/* What is ready to be written: per section of the log a stretch of compressed
 * streams, in memory here or kept by a rank below. */
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

/* Room for so many lines, none of which is there yet.  0, or -1: no memory. */
int stretches_prepare(struct stretches *stretches, struct arena *arena, int room);
const struct stretch *stretches_find(const struct stretches *stretches, uint32_t section);
/* Adds line b behind line a of the same section. */
void stretch_join(struct stretch *a, const struct stretch *b);

static inline int stretch_in_annex(const struct stretch *line) {
  return section_module((int)line->section) >= DARSHAN_MAX_MODULES;
}

/* --- what leaves -------------------------------------------------------------------- */

struct leaving {
  const struct rank *rank;
  const struct sharing *sharing;
  struct arena *arena; /* of the streams */
  struct log_compressor *compressor;
};

/* All return 0, or -1: no memory.  out may stay empty. */

/* What a rank has, in two: what is certainly its own alone leaves, what another rank
 * may have too becomes a candidate. */
int leave_own(const struct leaving *leaving, const struct log_content *content,
              struct candidates *set, struct stretches *out);

/* If the set takes too much memory: first what is still of one rank leaves, to
 * stay a record of that rank; if that is not enough, the others become the
 * overflow record of their module. */
int leave_excess(const struct leaving *leaving, struct candidates *set, struct stretches *out);

/* Those leave that are complete: no other rank knows their id.  In the root all are. */
int leave_complete(const struct leaving *leaving, struct candidates *set, struct stretches *out);

#endif
