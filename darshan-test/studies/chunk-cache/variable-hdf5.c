/* The functions of variable.h with HDF5. The file's access property list sets the cache size. */
#include "field.h"
#include "variable.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 1009 };
static const double PREEMPTION = 0.75;
static hid_t file, dataset;

/* Ends the program with a message if an HDF5 call failed; otherwise returns its result. */
static hid_t check(hid_t id, const char *what) {
  if (id < 0) {
    fprintf(stderr, "%s: HDF5 failed\n", what);
    exit(1);
  }
  return id;
}

void variable_open(const char *path, size_t cache_bytes) {
  hid_t access = check(H5Pcreate(H5P_FILE_ACCESS), "access list");
  if (cache_bytes > 0)
    check(H5Pset_cache(access, 0, SLOTS, cache_bytes, PREEMPTION), "chunk cache");
  file = check(H5Fopen(path, H5F_ACC_RDONLY, access), path);
  dataset = check(H5Dopen2(file, "/" FIELD_NAME, H5P_DEFAULT), FIELD_NAME);
  H5Pclose(access);
}

size_t variable_steps(void) {
  hsize_t lengths[3];
  hid_t space = check(H5Dget_space(dataset), "space");
  check(H5Sget_simple_extent_dims(space, lengths, NULL), "lengths");
  H5Sclose(space);
  return (size_t)lengths[0];
}

size_t variable_cache(void) {
  size_t slots, bytes;
  double preemption;
  hid_t access = check(H5Dget_access_plist(dataset), "access list");
  check(H5Pget_chunk_cache(access, &slots, &bytes, &preemption), "chunk cache");
  H5Pclose(access);
  return bytes;
}

void variable_read(const size_t start[3], const size_t count[3], float *values) {
  hsize_t from[3] = {start[0], start[1], start[2]};
  hsize_t lengths[3] = {count[0], count[1], count[2]};
  hid_t space = check(H5Dget_space(dataset), "space");
  hid_t memory = check(H5Screate_simple(3, lengths, NULL), "memory space");
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, lengths, NULL), "selection");
  check(H5Dread(dataset, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values), "read");
  H5Sclose(memory);
  H5Sclose(space);
}

void variable_close(void) {
  check(H5Dclose(dataset), "close");
  check(H5Fclose(file), "close");
}
