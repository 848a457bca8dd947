#include "beside.h"

#include "../runs/beside.h"

int beside_of(struct beside *sum, darshan_log *log, const struct id_table *files,
              struct darshan_error *error) {
  struct beside_sums found = {0};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_POSIX_EXT, error);
  const void *record;
  size_t size;
  int more = -1;
  while (records && (more = darshan_records_next(records, &record, &size, error)) > 0)
    beside_add(&found, record,
               id_table_find(files, ((const struct darshan_base_record *)record)->id) != NULL);
  if (records) darshan_records_close(records);
  if (more < 0) return -1;
  *sum = (struct beside){beside_metadata(&found), found.syncs};
  return 0;
}
