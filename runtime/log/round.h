/* Times lose the digits that mean nothing before a log is written. */
#ifndef DARSHAN_ROUND_H
#define DARSHAN_ROUND_H

#include "../records/store.h"

/* Timestamps become multiples of 2^-20 s (a microsecond, what the text output
 * prints), durations of 2^-27 s (7 ns, less than a clock reading costs).  The
 * noise in the low bits of the doubles would otherwise make up most of the log. */
void log_round_times(struct record_store *store);

#endif
