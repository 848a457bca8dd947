/* Segment rows: what a trace consists of, and all that counts for speed. */
#ifndef DARSHAN_DXT_PARSER_SEGMENTS_H
#define DARSHAN_DXT_PARSER_SEGMENTS_H

#include "darshan-read.h"
#include "output.h"
#include "stripes.h"

#include <stdbool.h>

/* What the rows of one record have in common. */
struct segment_rows {
  const char *label; /* eight characters */
  int64_t rank;
  bool with_threads;                  /* the segments know their threads */
  const struct stripe_layout *layout; /* NULL: not on Lustre */
};

/* The line that names the columns. */
void segments_columns(struct output *out, bool with_osts);

/* n rows, numbered from 0; `kind` is seven characters. */
void segments_print(struct output *out, const struct segment_rows *rows, const char *kind,
                    const struct darshan_dxt_segment *segments, int64_t n);

#endif
