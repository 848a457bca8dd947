/* The modules of a log, one after another: heading, rows, summaries. */
#ifndef DARSHAN_PARSER_MODULES_H
#define DARSHAN_PARSER_MODULES_H

#include "darshan-read.h"
#include "output.h"
#include "summary.h"

struct parser_options {
  bool base, show_incomplete;
  bool annex, annex_sums; /* its rows, its totals */
  struct summary_options summary;
  const char *path; /* for messages */
};

/* What each column of a row is; printed before the first module. */
void modules_print_columns(struct output *out);

/* Returns the exit status: 0 also if a module could not be read, which is said
 * on stderr; STATUS_INCOMPLETE if it stopped at an incomplete module. */
int modules_print(darshan_log *log, const struct parser_options *options, struct output *out);

/* descriptions.c: the meaning of every counter of a module, and which of them
 * records of this version do not have. */
void descriptions_print(struct output *out, const struct darshan_module *module, int version);

#endif
