/* Defines sums of operations that no file record counts, such as stat calls. POSIX_EXT records
 * count them for names and folders, and their time belongs to POSIX (doc/page-one.md). Code that
 * reads records one by one uses these sums. */
#ifndef DARSHAN_RUNS_UNATTRIBUTED_H
#define DARSHAN_RUNS_UNATTRIBUTED_H

#include <math.h>

#include "records.h"

/* Sums over the POSIX_EXT records of a log; zeroed before the first record. */
struct beside_sums {
  double metadata, syncs;  /* seconds */
  double locks;            /* seconds of waiting, which are not I/O */
  double misses, accesses; /* number of failed lookups; of those that are access calls */
  double seconds_missing;  /* seconds in all failed lookups */
};

/* Returns a time of an untrusted record, in seconds; 0 for unknown (negative) values, infinity and
 * NaN. */
static inline double beside_seconds(double value) {
  static const double longest = 1e18;
  if (!isfinite(value) || value < 0) return 0;
  return value < longest ? value : longest;
}

/* Returns a counter of an untrusted record; 0 for unknown (negative) values. */
static inline double beside_number(int64_t value) {
  return value > 0 ? (double)value : 0;
}

/* Adds a POSIX_EXT record to the sums. has_file: 1 if its id also has a POSIX record, which already
 * includes the metadata and synchronization times. */
static inline void beside_add(struct beside_sums *sums,
                              const struct darshan_posix_ext_record *record, int has_file) {
  const double *times = record->fcounters;
  if (!has_file) {
    sums->metadata += beside_seconds(times[POSIX_EXT_F_META_TIME]);
    sums->syncs += beside_seconds(times[POSIX_EXT_F_SYNC_TIME]);
  }
  sums->locks += beside_seconds(times[POSIX_EXT_F_LOCK_TIME]);
  sums->metadata += beside_seconds(times[POSIX_EXT_F_LIST_TIME]);
  sums->misses += beside_number(record->counters[POSIX_EXT_MISSES]);
  sums->accesses += beside_number(record->counters[POSIX_EXT_ACCESSES]);
  sums->seconds_missing += beside_seconds(times[POSIX_EXT_F_MISS_TIME]);
}

/* Returns the seconds in metadata operations: F_META_TIME, which includes failing access calls, and
 * the time of other failing calls. The latter is estimated: F_MISS_TIME multiplied by the part of
 * the misses that are not access calls. */
static inline double beside_metadata(const struct beside_sums *sums) {
  if (!(sums->misses > sums->accesses)) return sums->metadata;
  return sums->metadata + sums->seconds_missing * (1 - sums->accesses / sums->misses);
}

#endif
