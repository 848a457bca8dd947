#include "beside.h"

#include "../runs/beside.h"

static void add_mapped(struct beside *sum, const int64_t *counters) {
  double size = beside_number(counters[POSIX_EXT_MMAP_BYTES]);
  sum->mapped += size;
  if (counters[POSIX_EXT_MMAP_TOUCHED] < 0) {
    sum->unmeasured += size;
    return;
  }
  sum->touched += beside_number(counters[POSIX_EXT_MMAP_TOUCHED]) +
                  beside_number(counters[POSIX_EXT_MMAP_POPULATED]);
  sum->unmeasured += beside_number(counters[POSIX_EXT_MMAP_UNMEASURED]);
}

int beside_of(struct beside *sum, darshan_log *log, const struct id_table *files,
              struct darshan_error *error) {
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
  }
  if (records) darshan_records_close(records);
  if (more < 0) return -1;
  all.metadata = beside_metadata(&found);
  all.syncs = found.syncs;
  *sum = all;
  return 0;
}
