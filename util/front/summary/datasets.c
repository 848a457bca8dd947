/* Reads HDF5 datasets, and the POSIX calls that calls on them caused (module LAYERS), from logs
 * (datasets.h). */
#define _GNU_SOURCE
#include "datasets.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "records.h"

/* The counters of an operation are contiguous in the record, and so are its times. */
enum {
  PER_OPERATION = LAYERS_READ_CALLS - LAYERS_OPEN_CALLS,
  OPERATIONS = (LAYERS_META_CALLS - LAYERS_OPEN_CALLS) / PER_OPERATION + 1,
  READ_BYTES = LAYERS_OPEN_POSIX_BYTES_READ - LAYERS_OPEN_CALLS,
  WRITTEN_BYTES = LAYERS_OPEN_POSIX_BYTES_WRITTEN - LAYERS_OPEN_CALLS,
  TIMES = LAYERS_F_READ_TIME - LAYERS_F_OPEN_TIME,
  STDIO_READ = LAYERS_OPEN_STDIO_BYTES_READ - LAYERS_OPEN_CALLS,
  STDIO_WRITTEN = LAYERS_OPEN_STDIO_BYTES_WRITTEN - LAYERS_OPEN_CALLS,
  POSIX_TIME = LAYERS_F_OPEN_POSIX_TIME - LAYERS_F_OPEN_TIME,
  STDIO_TIME = LAYERS_F_OPEN_STDIO_TIME - LAYERS_F_OPEN_TIME,
  MPIIO_TIME = LAYERS_F_OPEN_MPIIO_TIME - LAYERS_F_OPEN_TIME,
  COMM_TIME = LAYERS_F_OPEN_COMM_TIME - LAYERS_F_OPEN_TIME
};
static_assert(LAYERS_META_CALLS == LAYERS_OPEN_CALLS + (OPERATIONS - 1) * PER_OPERATION, "order");
static_assert(LAYERS_F_META_TIME == LAYERS_F_OPEN_TIME + (OPERATIONS - 1) * TIMES, "order");

void datasets_init(struct datasets *datasets) {
  id_table_init(&datasets->table, sizeof(struct dataset));
}

static struct dataset *at(const struct datasets *datasets, size_t place) {
  return id_table_value(&datasets->table, place);
}

void datasets_free(struct datasets *datasets) {
  for (size_t i = 0; i < datasets->table.count; i++)
    free(at(datasets, i)->name);
  id_table_free(&datasets->table);
}

/* Adds a counter to a sum. Counters are untrusted: the sum stops at INT64_MAX, and negative values
 * are ignored. */
static void add(int64_t *sum, int64_t value) {
  if (value > 0 && __builtin_add_overflow(*sum, value, sum)) *sum = INT64_MAX;
}

static void add_record(struct dataset *dataset, const struct darshan_layers_record *record) {
  add(&dataset->asked, record->counters[LAYERS_BYTES_ASKED_READ]);
  add(&dataset->read, record->counters[LAYERS_BYTES_ASKED_READ]);
  add(&dataset->opening, record->counters[LAYERS_OPEN_POSIX_BYTES_WRITTEN]);
  add(&dataset->asked, record->counters[LAYERS_BYTES_ASKED_WRITTEN]);
  for (int i = 0; i < OPERATIONS; i++) {
    const int64_t *counters = &record->counters[LAYERS_OPEN_CALLS + i * PER_OPERATION];
    const double *times = &record->fcounters[LAYERS_F_OPEN_TIME + i * TIMES];
    add(&dataset->moved, counters[READ_BYTES]);
    add(&dataset->moved, counters[WRITTEN_BYTES]);
    add(&dataset->moved, counters[STDIO_READ]);
    add(&dataset->moved, counters[STDIO_WRITTEN]);
    dataset->time += times[0];
    dataset->lower_time += times[POSIX_TIME] + times[STDIO_TIME];
    dataset->mpi_time += times[MPIIO_TIME] + times[COMM_TIME];
  }
}

/* Seconds in HDF5 itself and in MPI. They are summed over all records of a log before they are
 * compared with 0, so that rounding errors of single records cancel out. */
struct above {
  double hdf5, mpi;
};

/* Adds the seconds in HDF5 itself and in MPI of a record of HDF5 or MPI-IO. */
static void add_above(struct above *above, const struct darshan_layers_record *record) {
  int64_t upper = record->counters[LAYERS_UPPER_MODULE];
  int is_hdf5 = upper == DARSHAN_MOD_H5F || upper == DARSHAN_MOD_H5D;
  if (!is_hdf5 && upper != DARSHAN_MOD_MPIIO) return;
  for (int i = 0; i < OPERATIONS; i++) {
    const double *times = &record->fcounters[LAYERS_F_OPEN_TIME + i * TIMES];
    double mpi = times[MPIIO_TIME] + times[COMM_TIME];
    above->mpi += mpi;
    if (is_hdf5) above->hdf5 += times[0] - times[POSIX_TIME] - times[STDIO_TIME] - mpi;
  }
}

/* Adds the sizes of the datasets from module H5D. Returns 0, or -1 if the log is corrupt. */
static int add_sizes(struct datasets *datasets, darshan_log *log, struct darshan_error *error) {
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_H5D, error);
  const void *next;
  size_t size;
  int more;
  if (!records) return -1;
  while ((more = darshan_records_next(records, &next, &size, error)) > 0) {
    const struct darshan_h5d_record *record = next;
    struct dataset *dataset = id_table_find(&datasets->table, record->base.id);
    int64_t points = record->counters[H5D_DATASPACE_NPOINTS], whole;
    if (!dataset || points <= 0) continue;
    if (__builtin_mul_overflow(points, record->counters[H5D_DATATYPE_SIZE], &whole)) continue;
    if (whole > dataset->size) dataset->size = whole;
  }
  darshan_records_close(records);
  return more < 0 ? -1 : 0;
}

int datasets_add(struct datasets *datasets, double *own, darshan_log *log,
                 struct darshan_error *error) {
  struct above above = {0, 0};
  darshan_records *records = darshan_records_open(log, DARSHAN_MOD_LAYERS, error);
  const void *next;
  size_t size;
  int more, is_new;
  if (!records) return -1;
  while ((more = darshan_records_next(records, &next, &size, error)) > 0) {
    const struct darshan_layers_record *record = next;
    add_above(&above, record);
    if (record->counters[LAYERS_UPPER_MODULE] != DARSHAN_MOD_H5D) continue;
    struct dataset *dataset = id_table_get(&datasets->table, record->base.id, &is_new);
    if (!dataset) break;
    const char *name = darshan_log_name(log, record->base.id);
    if (!dataset->name && name) dataset->name = strdup(name);
    add_record(dataset, record);
  }
  darshan_records_close(records);
  if (above.hdf5 > 0) *own += above.hdf5; /* false for NaN */
  if (above.mpi > 0) *own += above.mpi;
  if (more < 0) return -1;
  return datasets->table.count ? add_sizes(datasets, log, error) : 0;
}

size_t datasets_slowest(const struct datasets *datasets,
                        const struct dataset *slowest[DATASETS_SHOWN]) {
  size_t found = 0;
  for (size_t i = 0; i < datasets->table.count; i++) {
    const struct dataset *one = at(datasets, i);
    size_t place = found;
    while (place > 0 && slowest[place - 1]->time < one->time)
      place--;
    if (place == DATASETS_SHOWN) continue;
    if (found < DATASETS_SHOWN) found++;
    memmove(&slowest[place + 1], &slowest[place], (found - 1 - place) * sizeof(slowest[0]));
    slowest[place] = one;
  }
  return found;
}
