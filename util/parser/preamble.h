/* The comment lines before the records, for darshan-parser and darshan-dxt-parser: format, job and
 * regions of the log. */
#ifndef DARSHAN_PREAMBLE_H
#define DARSHAN_PREAMBLE_H

#include "darshan-read.h"
#include "output.h"

#include <stdbool.h>

/* Exit status of a parser that stops at a partial module; scripts know it from 3.5.0. */
enum { STATUS_INCOMPLETE = 255 };

void preamble_print(struct output *out, const struct darshan_info *info, bool with_annex);

#endif
