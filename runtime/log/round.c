#include "round.h"

/* Which fcounters are points in time: from the tables. */
#define COUNTER(name, rule, unit, since, absent, meaning)
#define RETIRED_COUNTER(name, first, last)
#define FCOUNTER(name, rule, unit, since, absent, meaning) TIME_##unit,
enum { TIME_SECONDS, TIME_TIMESTAMP, TIME_NONE };
static const unsigned char posix_times[] = {
#include "records/posix.def"
};
static const unsigned char mpiio_times[] = {
#include "records/mpiio.def"
};
static const unsigned char stdio_times[] = {
#include "records/stdio.def"
};
static const unsigned char posix_ext_times[] = {
#include "records/posix-ext.def"
};

static const unsigned char h5f_times[] = {
#include "records/h5f.def"
};
static const unsigned char h5d_times[] = {
#include "records/h5d.def"
};
static const unsigned char pnetcdf_file_times[] = {
#include "records/pnetcdf-file.def"
};
static const unsigned char pnetcdf_var_times[] = {
#include "records/pnetcdf-var.def"
};
static const unsigned char h5_meta_times[] = {
#include "records/h5-meta.def"
};
static const unsigned char layers_times[] = {
#include "records/layers.def"
};
static const unsigned char mpiio_ext_times[] = {
#include "records/mpiio-ext.def"
};

static const double per_second[] = {[TIME_SECONDS] = 1 << 27, [TIME_TIMESTAMP] = 1 << 20};

static void round_one(double *value, unsigned char kind) {
  if (*value == 0 || kind == TIME_NONE || !(*value < 4e9 && *value > -4e9)) return;
  double half = *value < 0 ? -0.5 : 0.5;
  int64_t units = (int64_t)(*value * per_second[kind] + half);
  /* 0 means "never": what happened stays above it. */
  if (units == 0 && *value > 0) units = 1;
  *value = (double)units / per_second[kind];
}

static void round_region(struct record_store *store, enum store_module module,
                         const unsigned char *kinds, size_t fcounters) {
  const struct store_region *region = &store->regions[module];
  for (uint32_t number = 1; number <= region->count; number++) {
    char *end = (char *)store_record(store, module, number) + region->record_size;
    double *values = (double *)(void *)(end - fcounters * sizeof(double));
    for (size_t i = 0; i < fcounters; i++)
      round_one(&values[i], kinds[i]);
  }
}

void log_round_times(struct record_store *store) {
  round_region(store, STORE_POSIX, posix_times, sizeof(posix_times));
  round_region(store, STORE_MPIIO, mpiio_times, sizeof(mpiio_times));
  round_region(store, STORE_PNETCDF_FILE, pnetcdf_file_times, sizeof(pnetcdf_file_times));
  round_region(store, STORE_PNETCDF_VAR, pnetcdf_var_times, sizeof(pnetcdf_var_times));
  round_region(store, STORE_STDIO, stdio_times, sizeof(stdio_times));
  round_region(store, STORE_POSIX_EXT, posix_ext_times, sizeof(posix_ext_times));
  round_region(store, STORE_H5F, h5f_times, sizeof(h5f_times));
  round_region(store, STORE_H5D, h5d_times, sizeof(h5d_times));
  round_region(store, STORE_H5_META, h5_meta_times, sizeof(h5_meta_times));
  round_region(store, STORE_LAYERS, layers_times, sizeof(layers_times));
  round_region(store, STORE_MPIIO_EXT, mpiio_ext_times, sizeof(mpiio_ext_times));
}
