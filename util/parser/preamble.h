/* The comment lines in front of the records, shared by darshan-parser and
 * darshan-dxt-parser: what the log is, who ran it, what it holds. */
#ifndef DARSHAN_PREAMBLE_H
#define DARSHAN_PREAMBLE_H

#include "darshan-read.h"
#include "output.h"

#include <stdbool.h>

/* The exit status of a parser that stops at an incomplete module, as scripts know it
 * from 3.5.0. */
enum { STATUS_INCOMPLETE = 255 };

void preamble_print(struct output *out, const struct darshan_info *info, bool with_annex);

#endif
