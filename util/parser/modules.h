/* Prints the modules of a log: heading, rows, summaries. */
#ifndef DARSHAN_PARSER_MODULES_H
#define DARSHAN_PARSER_MODULES_H

#include "darshan-read.h"
#include "output.h"
#include "summary/summary.h"

struct parser_options {
  bool base, show_incomplete;
  bool annex, annex_sums; /* rows of annex modules, their totals */
  struct summary_options summary;
  const char *path; /* for messages */
};

/* Prints what the columns of a row are; called before the first module. */
void modules_print_columns(struct output *out);

/* Returns the exit status: 0, also if a module was unreadable and reported on stderr; 1 if out of
 * memory; STATUS_INCOMPLETE if it stopped at a partial module. */
int modules_print(darshan_log *log, const struct parser_options *options, struct output *out);

/* descriptions.c: prints the meaning of every counter of a module, and the counters that records of
 * this version do not have. */
void descriptions_print(struct output *out, const struct darshan_module *module, int version);

#endif
