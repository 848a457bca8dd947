/* Declares functions that print a log on standard output, for all parsers. They include the comment
 * lines before the records: format, job and regions of the log. */
#ifndef PARSER_PRINT_LOG_H
#define PARSER_PRINT_LOG_H

#include <stdbool.h>

#include "darshan-read.h"
#include "output.h"
#include "summary/summary.h"

/* A function that prints the contents of a log to `out`. options: those that print_log got. Returns
 * the exit status of the program. */
typedef int print_content(darshan_log *log, const void *options, struct output *out);

/* Opens the log at `path` and calls `print` to print its contents. Returns the exit status of the
 * program: the result of `print`, or 1 after a message if the log cannot be read or the text cannot
 * be written. program: the name for messages, unless the user called the program by another
 * name. */
int print_log(const char *program, const char *path, print_content *print, const void *options);

/* Exit status of a parser that stops at a partial module; scripts rely on the value of 3.5.0. */
enum { STATUS_INCOMPLETE = 255 };

/* Prints the comment lines before the records: format, job, metadata, regions and mounts.
 * with_annex: also list the modules of the annex. */
void preamble_print(struct output *out, const struct darshan_info *info, bool with_annex);

/* Options of darshan-parser for the modules of a log. */
struct parser_options {
  bool base;              /* print a row per counter of each record */
  bool show_incomplete;   /* do not stop at a partial module */
  bool annex, annex_sums; /* print the rows of annex modules; print their totals */
  struct summary_options summary;
  const char *path; /* path of the log, for messages */
};

/* Prints an explanation of the columns. Called before the first module is printed. */
void modules_print_columns(struct output *out);

/* Prints the records of each module of a log, or their sums. Returns the exit status: 0, even if a
 * module was unreadable and reported on standard error; 1 if out of memory; STATUS_INCOMPLETE if it
 * stopped at a partial module. */
int modules_print(darshan_log *log, const struct parser_options *options, struct output *out);

/* Prints the meaning of every counter of a module, and the counters that records of this version
 * lack (descriptions.c). */
void descriptions_print(struct output *out, const struct darshan_module *module, int version);

#endif
