/* Scenarios with datasets of known storage size, in the POSIX and in the stdio driver of HDF5. */
#include "layers.h"

#include <stdlib.h>

enum { ELEMENTS = 1000, CHUNK = 100 };

/* Creates a dataset `name` and writes it; reads it again unless `read` is 0. The chunks of a
 * dataset that is only written reach the file when it is closed. create: its creation properties.
 * */
static void use(hid_t file, const char *name, hid_t create, double *values, int read) {
  const hsize_t extent = ELEMENTS;
  hid_t space = CHECK(H5Screate_simple(1, &extent, NULL));
  hid_t set =
      CHECK(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT));
  CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  CHECK(H5Dclose(set));
  CHECK(H5Sclose(space));
  if (!read) return;
  set = CHECK(H5Dopen2(file, name, H5P_DEFAULT));
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  CHECK(H5Dclose(set));
}

/* Writes and reads a contiguous and a chunked dataset. access: properties with the driver. */
static void both_layouts(hid_t access) {
  const hsize_t chunk = CHUNK;
  double *values = calloc(ELEMENTS, sizeof(*values));
  if (!values) exit(1);
  hid_t file = CHECK(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  hid_t create = CHECK(H5Pcreate(H5P_DATASET_CREATE));
  use(file, "contiguous", create, values, 1);
  CHECK(H5Pset_chunk(create, 1, &chunk));
  use(file, "chunked", create, values, 1);
  use(file, "late", create, values, 0);
  CHECK(H5Pclose(create));
  CHECK(H5Fclose(file));
  free(values);
}

void storage(void) {
  both_layouts(H5P_DEFAULT);
}

void streams(void) {
  hid_t access = CHECK(H5Pcreate(H5P_FILE_ACCESS));
  CHECK(H5Pset_fapl_stdio(access));
  both_layouts(access);
  CHECK(H5Pclose(access));
}

void caches(void) {
  const hsize_t chunk = CHUNK, extent = ELEMENTS;
  hid_t access = CHECK(H5Pcreate(H5P_FILE_ACCESS)), own = CHECK(H5Pcreate(H5P_DATASET_ACCESS));
  CHECK(H5Pset_cache(access, 0, 1009, 3 << 20, 0.25));
  CHECK(H5Pset_chunk_cache(own, 101, 200000, 1));
  hid_t file = CHECK(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  hid_t create = CHECK(H5Pcreate(H5P_DATASET_CREATE));
  CHECK(H5Pset_chunk(create, 1, &chunk));
  CHECK(H5Pset_fletcher32(create));
  CHECK(H5Pset_shuffle(create));
  hid_t space = CHECK(H5Screate_simple(1, &extent, NULL));
  CHECK(H5Dclose(CHECK(
      H5Dcreate2(file, "inherited", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT))));
  CHECK(
      H5Dclose(CHECK(H5Dcreate2(file, "own", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, own))));
  CHECK(H5Fclose(file));
}
