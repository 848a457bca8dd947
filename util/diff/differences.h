/* Compares the records of two logs, module by module. */
#ifndef DARSHAN_DIFF_DIFFERENCES_H
#define DARSHAN_DIFF_DIFFERENCES_H

#include "darshan-read.h"
#include "options.h"
#include "output.h"

/* Prints the rows that differ, and then sets *differ. Returns 0, or -1 after a message if something
 * could not be read or memory is exhausted. */
int differences_print(const struct diff_options *options, darshan_log *const logs[2],
                      struct output *out, bool *differ);

#endif
