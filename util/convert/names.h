/* Writes the names of the new log. */
#ifndef DARSHAN_CONVERT_NAMES_H
#define DARSHAN_CONVERT_NAMES_H

#include "options.h"
#include "regions.h"

/* Writes the name region. Returns 0, or -1 after a message. */
int names_region(const struct convert_options *options, darshan_log *log, struct regions *regions);

#endif
