/* Sums operations that are not in the record of a file (unattributed.h). */
#include "unattributed.h"

#include "../../runs/unattributed.h"

/* Returns the bytes of mapped files that were touched or populated, from POSIX_EXT counters. */
static int64_t touched_of(const int64_t *counters) {
  return (int64_t)(beside_number(counters[POSIX_EXT_MMAP_TOUCHED]) +
                   beside_number(counters[POSIX_EXT_MMAP_POPULATED]));
}

static void add_mapped(struct beside *sum, const int64_t *counters) {
  double size = beside_number(counters[POSIX_EXT_MMAP_BYTES]);
  sum->mapped += size;
  if (counters[POSIX_EXT_MMAP_TOUCHED] < 0) {
    sum->unmeasured += size;
    return;
  }
  sum->touched += (double)touched_of(counters);
  sum->unmeasured += beside_number(counters[POSIX_EXT_MMAP_UNMEASURED]);
}

static void add_times(struct beside *sum, const double *fcounters) {
  sum->syncing += beside_seconds(fcounters[POSIX_EXT_F_FSYNC_TIME]) +
                  beside_seconds(fcounters[POSIX_EXT_F_SYNC_TIME]);
  sum->listing += beside_seconds(fcounters[POSIX_EXT_F_LIST_TIME]);
}

static void add_touched(struct id_table *files, const struct darshan_posix_ext_record *record) {
  int is_new;
  int64_t bytes = touched_of(record->counters);
  int64_t *sum = bytes ? id_table_get(files, record->base.id, &is_new) : NULL;
  if (sum && __builtin_add_overflow(*sum, bytes, sum)) *sum = INT64_MAX;
}

int beside_of(struct beside *sum, darshan_log *log, const struct id_table *files,
              struct id_table *touched, struct darshan_error *error) {
  struct beside_sums found = {0};
  struct beside all = {0};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_POSIX_EXT, error);
  const void *record;
  size_t size;
  int more = -1;
  while (records && (more = darshan_records_next(records, &record, &size, error)) > 0) {
    beside_add(&found, record,
               id_table_find(files, ((const struct darshan_base_record *)record)->id) != NULL);
    add_mapped(&all, ((const struct darshan_posix_ext_record *)record)->counters);
    add_times(&all, ((const struct darshan_posix_ext_record *)record)->fcounters);
    add_touched(touched, record);
  }
  if (records) darshan_records_close(records);
  if (more < 0) return -1;
  all.metadata = beside_metadata(&found);
  all.syncs = found.syncs;
  all.locks = found.locks;
  *sum = all;
  return 0;
}

void beside_faults_of(struct beside_faults *sum, darshan_log *log) {
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_USAGE, &error);
  const void *record;
  size_t size;
  while (records && darshan_records_next(records, &record, &size, &error) > 0) {
    const struct darshan_usage_record *usage = record;
    double major = beside_number(usage->counters[USAGE_MAJOR_FAULTS]);
    sum->major += major;
    sum->all += beside_number(usage->counters[USAGE_MINOR_FAULTS]) + major;
  }
  if (records) darshan_records_close(records);
}
