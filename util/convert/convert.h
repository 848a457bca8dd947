/* Converts a log into a new one. */
#ifndef DARSHAN_CONVERT_H
#define DARSHAN_CONVERT_H

#include "options.h"

/* Returns 0, or -1 after a message if there is no new log. */
int convert(const struct convert_options *options);

#endif
