/* Compresses into streams the records that need not travel further up the tree of ranks: records of
 * this rank alone; records that contain the data of all ranks that know them; and records that
 * exceed the memory limit. */
#ifndef DARSHAN_RANKS_STREAMS_H
#define DARSHAN_RANKS_STREAMS_H

#include "../compress.h"
#include "candidates.h"
#include "facts.h"
#include "log-format.h"

/* --- streams ----------------------------------------------------------------------- */

/* Compressed streams of one section of the log, ready to be written. They are in the memory of this
 * rank or of a rank below. */
struct stretch {
  uint32_t section;
  uint32_t version; /* version of the records */
  uint32_t partial; /* 1: records are missing */
  uint32_t crc;     /* CRC-32 of the stored bytes, if the section is in the annex */
  uint64_t stored;  /* compressed bytes */
  uint64_t raw;     /* decompressed bytes */
};

/* The streams of several sections, in order of section, at most one line for each. */
struct stretches {
  int count;
  struct stretch *lines;
  const char **bytes; /* the bytes of each line; NULL: they are in a rank below */
};

/* Allocates `room` lines and sets count to 0. Returns 0, or -1 if out of memory. */
int stretches_prepare(struct stretches *stretches, struct arena *arena, int room);
/* Returns the line of a section, or NULL if there is none. */
const struct stretch *stretches_find(const struct stretches *stretches, uint32_t section);
/* Adds line b to line a of the same section: a then describes the streams of both, with those of b
 * behind. */
void stretch_join(struct stretch *a, const struct stretch *b);

static inline int stretch_in_annex(const struct stretch *line) {
  return section_module((int)line->section) >= DARSHAN_MAX_MODULES;
}

/* --- what leaves -------------------------------------------------------------------- */

struct leaving {
  const struct rank *rank;
  const struct sharing *sharing;
  struct arena *arena; /* memory of the streams */
  struct log_compressor *compressor;
};

/* The functions below may leave `out` empty. */

/* Splits the records of a rank: records of this rank alone leave, compressed into `out`; records
 * that another rank may have become candidates of the set. Returns 0, or -1 if out of memory. */
int leave_own(const struct leaving *leaving, const struct log_content *content,
              struct candidates *set, struct stretches *out);

/* Shrinks a set that takes too much memory. First moves records of a single rank into `out`; they
 * stay records of that rank. If that is not enough, aggregates the others into the overflow record
 * of their module. Returns 0, or -1 if out of memory. */
int leave_excess(const struct leaving *leaving, struct candidates *set, struct stretches *out);

/* Moves the candidates that contain the records of all ranks that know their id from the set into
 * `out`, compressed; in the root rank, moves all candidates. If the source has a `span`, moves none
 * below the root rank. Returns 0, or -1 if out of memory. */
int leave_complete(const struct leaving *leaving, struct candidates *set, struct stretches *out);

#endif
