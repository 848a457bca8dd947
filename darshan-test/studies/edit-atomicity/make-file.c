/* Makes an HDF5 file of about the given number of bytes, with datasets of 32-bit integers:
 * make-file FILE BYTES. All metadata is in the first mebibyte, so that a study can undo an edit
 * without a copy of the whole file. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { DATASETS = 8, METADATA = 1 << 20, SLICE = 1 << 18 /* elements written at once */ };

static void fail(const char *what) {
  fprintf(stderr, "make-file: %s failed\n", what);
  exit(1);
}

/* Writes `count` values to a dataset. seed: of the values. */
static void fill(hid_t dataset, hsize_t count, unsigned seed) {
  int *values = malloc(SLICE * sizeof *values);
  if (!values) fail("malloc");
  for (hsize_t first = 0; first < count; first += SLICE) {
    hsize_t size = count - first < SLICE ? count - first : SLICE;
    for (hsize_t i = 0; i < size; i++)
      values[i] = (int)((first + i) * 2654435761u + seed);
    hid_t memory = H5Screate_simple(1, &size, NULL), space = H5Dget_space(dataset);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &size, NULL) < 0 ||
        H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) < 0)
      fail("H5Dwrite");
    H5Sclose(memory);
    H5Sclose(space);
  }
  free(values);
}

/* Creates and fills dataset number `index` with `count` values. */
static void make_dataset(hid_t file, unsigned index, hsize_t count) {
  char name[32];
  snprintf(name, sizeof name, "data%u", index);
  hid_t space = H5Screate_simple(1, &count, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
  /* Two runs must give the same bytes, so no times in the file. */
  H5Pset_obj_track_times(creation, 0);
  hid_t dataset = H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset < 0) fail("H5Dcreate2");
  fill(dataset, count, index);
  H5Pclose(creation);
  H5Sclose(space);
  if (H5Dclose(dataset) < 0) fail("H5Dclose");
}

int main(int argc, char **argv) {
  char *end = NULL;
  unsigned long long bytes = argc == 3 ? strtoull(argv[2], &end, 10) : 0;
  if (!end || *end || bytes < 1 << 16) {
    fputs("usage: make-file FILE BYTES\n", stderr);
    return 2;
  }
  /* The block is part of the file: no larger than half of a small one. */
  hsize_t block = bytes / 2 < METADATA ? bytes / 2 : METADATA;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_meta_block_size(access, block);
  hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file < 0) fail("H5Fcreate");
  for (unsigned i = 0; i < DATASETS; i++)
    make_dataset(file, i, (bytes - block) / DATASETS / 4);
  H5Pclose(access);
  if (H5Fclose(file) < 0) fail("H5Fclose");
  return 0;
}
