/* Segment rows: most of a trace's text, so their speed matters. */
#ifndef DARSHAN_DXT_PARSER_SEGMENTS_H
#define DARSHAN_DXT_PARSER_SEGMENTS_H

#include "darshan-read.h"
#include "output.h"
#include "stripes.h"

#include <stdbool.h>

/* The common values of a record's rows. */
struct segment_rows {
  const char *label; /* eight characters */
  int64_t rank;
  bool with_threads;                  /* the log has thread ids */
  const struct stripe_layout *layout; /* NULL: not on Lustre */
};

/* Prints the line with the column names. with_osts: also the column of storage targets. */
void segments_columns(struct output *out, bool with_osts);

/* Prints n rows, numbered from 0. `kind` has seven characters. */
void segments_print(struct output *out, const struct segment_rows *rows, const char *kind,
                    const struct darshan_dxt_segment *segments, int64_t n);

#endif
