/* The DXT modules of a log, one after another: heading, and per record its
 * head lines and segments. */
#ifndef DARSHAN_DXT_PARSER_TRACES_H
#define DARSHAN_DXT_PARSER_TRACES_H

#include "darshan-read.h"
#include "output.h"

#include <stdbool.h>

struct trace_options {
  bool show_incomplete;
  const char *path; /* for messages */
};

/* Returns the exit status: 0 also if a module could not be read, which is said
 * on stderr; 1 if it stopped at an incomplete module. */
int traces_print(darshan_log *log, const struct trace_options *options, struct output *out);

#endif
