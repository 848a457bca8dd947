/* Starts darshan-merge. */
#ifndef DARSHAN_FRONT_MERGER_H
#define DARSHAN_FRONT_MERGER_H

#include <stddef.h>

enum merger_end { /* its exit status */
                  MERGER_MADE = 0,
                  MERGER_FAILED = 1,
                  MERGER_NOTHING = 3 /* no log to make, or another process makes it */
};

/* Runs darshan-merge, uninstrumented, and returns how it ended. argv[0] is set here; argv ends with
 * NULL. out: receives the first line of its standard output, without newline; may be NULL. quiet: 1
 * to discard its messages. */
enum merger_end merger_run(char **argv, char *out, size_t room, int quiet);

/* Returns 1 if darshan-merge is installed; otherwise 0, after a message. */
int merger_exists(void);

#endif
