/* Converts a log into a new one. */
#ifndef DARSHAN_CONVERT_H
#define DARSHAN_CONVERT_H

#include "options.h"

/* Reads the log options->in and writes the new log options->out. Returns 0, or -1 after a message;
 * there is no new log then. */
int convert(const struct convert_options *options);

#endif
