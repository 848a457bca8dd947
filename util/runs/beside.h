/* What POSIX_EXT counts of operations on names and folders, which no record of a file
 * holds: they are time of POSIX (doc/page-one.md).  For who has the records one by one. */
#ifndef DARSHAN_RUNS_BESIDE_H
#define DARSHAN_RUNS_BESIDE_H

#include <math.h>

#include "records.h"

struct beside_sums {
  double metadata, syncs;                   /* seconds */
  double misses, accesses, seconds_missing; /* of look-ups */
};

/* What is not known, or no number, is nothing. */
static inline double beside_seconds(double value) {
  static const double longest = 1e18;
  if (!isfinite(value) || value < 0) return 0;
  return value < longest ? value : longest;
}

static inline double beside_number(int64_t value) {
  return value > 0 ? (double)value : 0;
}

/* has_file: there is a record of POSIX with its id, which has these times, too. */
static inline void beside_add(struct beside_sums *sums,
                              const struct darshan_posix_ext_record *record, int has_file) {
  const double *times = record->fcounters;
  if (!has_file) {
    sums->metadata += beside_seconds(times[POSIX_EXT_F_META_TIME]);
    sums->syncs += beside_seconds(times[POSIX_EXT_F_SYNC_TIME]);
  }
  sums->metadata += beside_seconds(times[POSIX_EXT_F_LIST_TIME]);
  sums->misses += beside_number(record->counters[POSIX_EXT_MISSES]);
  sums->accesses += beside_number(record->counters[POSIX_EXT_ACCESSES]);
  sums->seconds_missing += beside_seconds(times[POSIX_EXT_F_MISS_TIME]);
}

/* Of accesses that found nothing the time is in F_META_TIME; which of the others' is not
 * known one by one. */
static inline double beside_metadata(const struct beside_sums *sums) {
  if (!(sums->misses > sums->accesses)) return sums->metadata;
  return sums->metadata + sums->seconds_missing * (1 - sums->accesses / sums->misses);
}

#endif
