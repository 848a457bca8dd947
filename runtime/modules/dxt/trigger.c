#include "trigger.h"

#include "../../job/runtime.h"
#include "records.h"

enum { BINS = 10, SMALL_BINS = 3 /* up to 10 KiB */ };
static_assert(POSIX_SIZE_READ_1K_10K == POSIX_SIZE_READ_0_100 + SMALL_BINS - 1, "bins");
static_assert(POSIX_SIZE_WRITE_0_100 == POSIX_SIZE_READ_0_100 + BINS, "bins");
static_assert(MPIIO_SIZE_READ_AGG_1K_10K == MPIIO_SIZE_READ_AGG_0_100 + SMALL_BINS - 1, "bins");
static_assert(MPIIO_SIZE_WRITE_AGG_0_100 == MPIIO_SIZE_READ_AGG_0_100 + BINS, "bins");

/* Part of the transfers that are small; bins: reads, then writes. */
static double small_part(const int64_t *bins) {
  int64_t small = 0, all = 0;
  for (int i = 0; i < 2 * BINS; i++) {
    all += bins[i];
    if (i % BINS < SMALL_BINS) small += bins[i];
  }
  return all > 0 ? (double)small / (double)all : 0;
}

static double unaligned_part(const struct darshan_posix_record *record) {
  const int64_t *counters = record->counters;
  int64_t all = counters[POSIX_READS] + counters[POSIX_WRITES];
  return all > 0 ? (double)counters[POSIX_FILE_NOT_ALIGNED] / (double)all : 0;
}

/* The POSIX record of the same file; NULL: there is none. */
static const struct darshan_posix_record *posix_record(uint64_t id) {
  const struct store_entry *entry = store_find(&darshan_store, id);
  uint32_t number = entry ? entry->record[STORE_POSIX] : 0;
  return number ? store_record(&darshan_store, STORE_POSIX, number) : NULL;
}

int dxt_triggered(enum dxt_module module, uint32_t number) {
  const struct darshan_config *config = &darshan_config;
  const struct darshan_posix_record *posix = NULL;
  const int64_t *bins;
  if (module == DXT_POSIX) {
    posix = store_record(&darshan_store, STORE_POSIX, number);
    bins = &posix->counters[POSIX_SIZE_READ_0_100];
  } else {
    const struct darshan_mpiio_record *record = store_record(&darshan_store, STORE_MPIIO, number);
    bins = &record->counters[MPIIO_SIZE_READ_AGG_0_100];
    posix = posix_record(record->base.id); /* alignment is counted there alone */
  }
  if (config->small_io_trigger >= 0 && small_part(bins) < config->small_io_trigger) return 0;
  if (config->unaligned_io_trigger < 0) return 1;
  return (posix ? unaligned_part(posix) : 0) >= config->unaligned_io_trigger;
}
