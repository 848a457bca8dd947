/* Mistakes in programs that use HDF5 from C, with their fixes, and healthy programs: fields CASE
 * [cured]. */
#include "case.h"

#include <hdf5.h>

static hid_t held(hid_t id) {
  must(id >= 0, "HDF5");
  return id;
}

static double row[65536];

/* Opens and closes a file for each of 600 reads of a small dataset. */
static void file_opens(bool cured) {
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hsize_t size = 8;
  hid_t space = held(H5Screate_simple(1, &size, NULL));
  H5Dclose(held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, 0, 0)));
  H5Fclose(file);
  for (int i = 0; i < 600; i++) {
    if (cured && i) continue;
    file = held(H5Fopen("f.h5", H5F_ACC_RDONLY, H5P_DEFAULT)); /* blame: file-opens */
    hid_t data = held(H5Dopen2(file, "x", H5P_DEFAULT));
    H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row);
    H5Dclose(data);
    H5Fclose(file);
  }
  H5Sclose(space);
}

/* Calls H5Fflush after each row, although one chunk contains all rows. */
static void file_flushes(bool cured) {
  hsize_t whole[2] = {1024, 64}, one[2] = {1, 64};
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(2, whole, NULL)), memory = held(H5Screate_simple(2, one, 0));
  hid_t plist = held(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(plist, 2, whole);
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, plist, 0));
  for (hsize_t i = 0; i < 1000; i++) {
    hsize_t start[2] = {i, 0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL);
    must(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row) >= 0, "H5Dwrite");
    if (!cured) H5Fflush(file, H5F_SCOPE_GLOBAL); /* blame: file-flushes */
  }
  H5Dclose(data), H5Pclose(plist), H5Sclose(memory), H5Sclose(space), H5Fclose(file);
}

/* Writes a dataset of 128 MiB that HDF5 has filled when it was created; cured: without the fill. */
static void fill_then_write(bool cured) {
  hsize_t size = 16 << 20;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(1, &size, NULL)), plist = held(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(plist, cured ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_ALLOC);
  /* blame: fill-then-write */
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, plist, 0));
  double *values = calloc(size, sizeof *values);
  must(values && H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, 0, values) >= 0, "H5Dwrite");
  free(values);
  H5Dclose(data), H5Pclose(plist), H5Sclose(space), H5Fclose(file);
}

/* Stores 12,000 values as an attribute each; cured: as arrays in three attributes. */
static void attributes_many(bool cured) {
  enum { VALUES = 12000 };
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t group = held(H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  hsize_t size = cured ? 4000 : 1;
  hid_t space = held(H5Screate_simple(1, &size, NULL));
  for (int i = 0; i < (cured ? VALUES / 4000 : VALUES); i++) {
    char name[20];
    snprintf(name, sizeof name, "a%d", i);
    /* blame: attributes-many */
    hid_t made = held(H5Acreate2(group, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT));
    must(H5Awrite(made, H5T_NATIVE_DOUBLE, row) >= 0, "H5Awrite");
    H5Aclose(made);
  }
  H5Sclose(space), H5Gclose(group), H5Fclose(file);
}

/* Writes a chunked dataset with a call for each element; cured: with a call for each chunk. */
static void elements(bool cured) {
  hsize_t size = 1 << 18, chunk = 1 << 14, one = cured ? chunk : 1;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(1, &size, NULL)), memory = held(H5Screate_simple(1, &one, 0));
  hid_t plist = held(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(plist, 1, &chunk);
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, plist, 0));
  for (hsize_t at = 0; at < size; at += one) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
    /* blame: elements */
    must(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row) >= 0, "H5Dwrite");
  }
  H5Dclose(data), H5Pclose(plist), H5Sclose(memory), H5Sclose(space), H5Fclose(file);
}

/* Writes twenty datasets block by block, and flushes each dataset after each of its blocks. */
static void dataset_flushes(bool cured) {
  hsize_t size = 512, one = 8;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(1, &size, NULL)), memory = held(H5Screate_simple(1, &one, 0));
  hid_t data[20];
  for (int i = 0; i < 20; i++) {
    char name[20];
    snprintf(name, sizeof name, "x%d", i);
    data[i] = held(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, 0, 0, 0));
  }
  for (hsize_t at = 0; at < size; at += one)
    for (int i = 0; i < 20; i++) {
      H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
      must(H5Dwrite(data[i], H5T_NATIVE_DOUBLE, memory, space, 0, row) >= 0, "H5Dwrite");
      if (!cured) H5Dflush(data[i]); /* blame: dataset-flushes */
    }
  for (int i = 0; i < 20; i++)
    H5Dclose(data[i]);
  H5Sclose(memory), H5Sclose(space), H5Fclose(file);
}

/* --- healthy ------------------------------------------------------------------ */

/* Writes a contiguous dataset in pieces of 256 bytes, which HDF5 joins. cured: unused. */
static void pieces(bool cured) {
  (void)cured;
  hsize_t size = 65536, one = 32;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(1, &size, NULL)), memory = held(H5Screate_simple(1, &one, 0));
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, 0, 0));
  for (hsize_t at = 0; at < size; at += one) {
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
    must(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row) >= 0, "H5Dwrite");
  }
  H5Dclose(data), H5Sclose(memory), H5Sclose(space), H5Fclose(file);
}

static void attributes_healthy(bool cured) {
  (void)cured;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t scalar = held(H5Screate(H5S_SCALAR));
  for (int i = 0; i < 20; i++) {
    char name[20];
    snprintf(name, sizeof name, "a%d", i);
    H5Aclose(held(H5Acreate2(file, name, H5T_NATIVE_INT, scalar, 0, 0)));
  }
  H5Sclose(scalar), H5Fclose(file);
  fill_then_write(true);
}

/* Writes a checkpoint of random numbers, which HDF5 compresses when the file is flushed; cured:
 * without compression. */
static void flush_deflated(bool cured) {
  hsize_t whole = 1 << 20;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(1, &whole, NULL));
  hid_t plist = held(H5Pcreate(H5P_DATASET_CREATE)), cache = held(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk(plist, 1, &whole);
  if (!cured) H5Pset_deflate(plist, 6);
  H5Pset_chunk_cache(cache, 101, 16 << 20, 0);
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, plist, cache));
  double *values = malloc(whole * sizeof *values);
  must(values != NULL, "malloc");
  for (hsize_t i = 0; i < whole; i++)
    values[i] = (double)(rand() & 0xfffff) / 3;
  must(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, 0, values) >= 0, "H5Dwrite");
  free(values);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  H5Dclose(data), H5Pclose(cache), H5Pclose(plist), H5Sclose(space), H5Fclose(file);
}

/* Reads rows that do not follow each other, each added to the selection; cured: reads all rows. */
static void rows_by_list(bool cured) {
  enum { ROWS = 20000, WIDE = 8, READS = 4 };
  static double all[ROWS * WIDE];
  hsize_t whole[2] = {ROWS, WIDE}, one[2] = {1, WIDE};
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(2, whole, NULL));
  hid_t plist = held(H5Pcreate(H5P_DATASET_CREATE));
  hsize_t chunk[2] = {2000, WIDE};
  H5Pset_chunk(plist, 2, chunk);
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, plist, 0));
  must(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, "H5Dwrite");
  for (int i = 0; i < READS; i++) {
    hsize_t chosen = 0;
    for (hsize_t at = (hsize_t)i; at < ROWS && !cured; at += 5 + at % 3, chosen++) {
      hsize_t start[2] = {at, 0};
      H5S_seloper_t how = chosen ? H5S_SELECT_OR : H5S_SELECT_SET;
      H5Sselect_hyperslab(space, how, start, NULL, one, NULL);
    }
    hsize_t size = chosen * WIDE;
    hid_t memory = cured ? H5S_ALL : held(H5Screate_simple(1, &size, NULL));
    hid_t from = cured ? H5S_ALL : space;
    /* blame: rows-by-list */
    must(H5Dread(data, H5T_NATIVE_DOUBLE, memory, from, H5P_DEFAULT, all) >= 0, "H5Dread");
    if (!cured) H5Sclose(memory);
  }
  H5Dclose(data), H5Pclose(plist), H5Sclose(space), H5Fclose(file);
}

/* Reads 9,000 of 150,000 rows with one read; cured: reads all rows. */
static void rows_chosen(bool cured) {
  enum { ROWS = 150000, WIDE = 80, CHOSEN = 9000 };
  static char all[ROWS * WIDE];
  hsize_t whole[2] = {ROWS, WIDE}, one[2] = {1, WIDE}, size = (hsize_t)CHOSEN * WIDE;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(2, whole, NULL));
  hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_CHAR, space, 0, 0, 0));
  must(H5Dwrite(data, H5T_NATIVE_CHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, "H5Dwrite");
  for (hsize_t i = 0; i < CHOSEN && !cured; i++) {
    hsize_t start[2] = {16 * i + i % 3, 0};
    H5Sselect_hyperslab(space, i ? H5S_SELECT_OR : H5S_SELECT_SET, start, NULL, one, NULL);
  }
  hid_t memory = cured ? H5S_ALL : held(H5Screate_simple(1, &size, NULL));
  hid_t from = cured ? H5S_ALL : space;
  /* blame: rows-chosen */
  must(H5Dread(data, H5T_NATIVE_CHAR, memory, from, H5P_DEFAULT, all) >= 0, "H5Dread");
  if (!cured) H5Sclose(memory);
  H5Dclose(data), H5Sclose(space), H5Fclose(file);
}

/* Writes a dataset by a function of HDF5 1.6; nothing in it costs much time. cured: unused. */
static void old_calls(bool cured) {
  (void)cured;
  hsize_t whole = 1 << 16;
  hid_t file = held(H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(1, &whole, NULL));
  hid_t data = held(H5Dcreate1(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT));
  must(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0, "H5Dwrite");
  H5Dclose(data), H5Sclose(space), H5Fclose(file);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"file-opens", file_opens},
      {"file-flushes", file_flushes},
      {"fill-then-write", fill_then_write},
      {"attributes-many", attributes_many},
      {"elements", elements},
      {"dataset-flushes", dataset_flushes},
      {"pieces", pieces},
      {"attributes-healthy", attributes_healthy},
      {"flush-deflated", flush_deflated},
      {"old-calls", old_calls},
      {"rows-by-list", rows_by_list},
      {"rows-chosen", rows_chosen},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
