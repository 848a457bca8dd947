/* Has darshan-merge make logs. */
#ifndef DARSHAN_FRONT_MERGER_H
#define DARSHAN_FRONT_MERGER_H

#include <stddef.h>

enum merger_end { /* its exit status */
                  MERGER_MADE = 0,
                  MERGER_FAILED = 1,
                  MERGER_NOTHING = 3 /* to be made, or somebody else is at it */
};

/* Runs it with these arguments, whose first is room for its path and whose last is NULL.
 * out: what it says on standard output, its last newline cut off, or NULL.  It is not
 * observed; quiet: its complaints are nobody's. */
enum merger_end merger_run(char **argv, char *out, size_t room, int quiet);

#endif
