/* One log becomes another one that says the same, or less. */
#ifndef DARSHAN_CONVERT_H
#define DARSHAN_CONVERT_H

#include "options.h"

/* 0, or -1 after a line that says why there is no new log. */
int convert(const struct convert_options *options);

#endif
