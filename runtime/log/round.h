/* Rounds times before a log is written. */
#ifndef DARSHAN_ROUND_H
#define DARSHAN_ROUND_H

#include "../records/store.h"

/* Rounds timestamps to multiples of 2^-20 s (a microsecond, the precision of the text output) and
 * durations to 2^-27 s (7 ns, less than a clock reading takes). Otherwise the noise in the low bits
 * of the doubles would make up most of the log. */
void log_round_times(struct record_store *store);

#endif
