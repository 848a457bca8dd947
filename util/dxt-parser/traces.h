/* Prints the DXT modules of a log: a heading, and the head lines and segments of each record. */
#ifndef DARSHAN_DXT_PARSER_TRACES_H
#define DARSHAN_DXT_PARSER_TRACES_H

#include "darshan-read.h"
#include "output.h"

#include <stdbool.h>

struct trace_options {
  bool show_incomplete;
  const char *path; /* for messages */
};

/* Returns the exit status: 0, also if a module was unreadable and reported on stderr;
 * STATUS_INCOMPLETE if it stopped at a partial module. */
int traces_print(darshan_log *log, const struct trace_options *options, struct output *out);

#endif
