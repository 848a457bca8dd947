/* Prints a log on standard output: what the parsers have in common, also the comment lines before
 * the records (format, job and regions of the log). */
#ifndef PARSER_PRINT_LOG_H
#define PARSER_PRINT_LOG_H

#include "darshan-read.h"
#include "output.h"
#include <stdbool.h>

/* Prints the contents of a log; returns the exit status of the program. */
typedef int print_content(darshan_log *log, const void *options, struct output *out);

/* Opens the log at path and has its contents printed. Returns the exit status of the program: that
 * of print, or 1 after a message if the log cannot be read or the text cannot be written. program:
 * the name for messages, if the user called it by no other. */
int print_log(const char *program, const char *path, print_content *print, const void *options);

/* Exit status of a parser that stops at a partial module; scripts know it from 3.5.0. */
enum { STATUS_INCOMPLETE = 255 };

void preamble_print(struct output *out, const struct darshan_info *info, bool with_annex);

#endif
