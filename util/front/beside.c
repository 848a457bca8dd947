#define _GNU_SOURCE
#include "beside.h"

#include <math.h>

#include "records.h"

struct look_ups {
  double misses, accesses, seconds;
};

/* What is not known, or no number, is nothing. */
static double seconds_of(const struct darshan_posix_ext_record *record, int fcounter) {
  static const double longest = 1e18;
  double value = record->fcounters[fcounter];
  if (!isfinite(value) || value < 0) return 0;
  return value < longest ? value : longest;
}

static double number_of(const struct darshan_posix_ext_record *record, int counter) {
  return record->counters[counter] > 0 ? (double)record->counters[counter] : 0;
}

static void add(struct beside *sum, struct look_ups *look_ups, const struct id_table *files,
                const struct darshan_posix_ext_record *record) {
  if (!id_table_find(files, record->base.id)) {
    sum->metadata += seconds_of(record, POSIX_EXT_F_META_TIME);
    sum->syncs += seconds_of(record, POSIX_EXT_F_SYNC_TIME);
  }
  sum->metadata += seconds_of(record, POSIX_EXT_F_LIST_TIME);
  look_ups->misses += number_of(record, POSIX_EXT_MISSES);
  look_ups->accesses += number_of(record, POSIX_EXT_ACCESSES);
  look_ups->seconds += seconds_of(record, POSIX_EXT_F_MISS_TIME);
}

int beside_of(struct beside *sum, darshan_log *log, const struct id_table *files,
              struct darshan_error *error) {
  struct beside found = {0};
  struct look_ups look_ups = {0};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_POSIX_EXT, error);
  const void *record;
  size_t size;
  int more = -1;
  while (records && (more = darshan_records_next(records, &record, &size, error)) > 0)
    add(&found, &look_ups, files, record);
  if (records) darshan_records_close(records);
  if (more < 0) return -1;
  /* Of accesses that found nothing the time is in F_META_TIME; which of the others' is not
   * known one by one. */
  if (look_ups.misses > look_ups.accesses)
    found.metadata += look_ups.seconds * (1 - look_ups.accesses / look_ups.misses);
  *sum = found;
  return 0;
}
