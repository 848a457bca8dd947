/* Starts darshan-merge. */
#ifndef DARSHAN_FRONT_MERGER_H
#define DARSHAN_FRONT_MERGER_H

#include <stddef.h>

enum merger_end { /* its exit status */
                  MERGER_MADE = 0,
                  MERGER_FAILED = 1,
                  MERGER_NOTHING = 3 /* no log to make, or another process makes it */
};

/* Runs darshan-merge, uninstrumented. argv[0] is set here, the last argument is NULL. out: the
 * first line of its standard output, without newline; may be NULL. quiet: its messages are
 * discarded. */
enum merger_end merger_run(char **argv, char *out, size_t room, int quiet);

/* Returns 1 if darshan-merge is installed; otherwise 0, after a message. */
int merger_exists(void);

#endif
