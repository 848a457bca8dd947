/* Cases of MPI jobs that share an HDF5 file: ranks_fields CASE [cured]. */
#include "job.h"

#include <hdf5.h>
#include <unistd.h>

enum { ROWS = 1024, COLUMNS = 4096, CHUNK = 64 };
static int rank, ranks;
static double row[1 << 14];
static float field[ROWS * COLUMNS];

static hid_t held(hid_t id) {
  must(id >= 0, "HDF5");
  return id;
}

/* Returns the properties with which all ranks open a file by MPI-IO. */
static hid_t together(void) {
  hid_t access = held(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  return access;
}

/* Makes a file with a block of a grid in each of these groups; one rank calls this. */
static void make_tree(int groups) {
  hid_t file = held(H5Fcreate("tree.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hsize_t size = 1 << 14;
  hid_t space = held(H5Screate_simple(1, &size, NULL));
  for (int i = 0; i < groups; i++) {
    char name[40];
    snprintf(name, sizeof name, "block%d", i);
    hid_t group = held(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t data = held(H5Dcreate2(group, "density", H5T_NATIVE_DOUBLE, space, 0, 0, 0));
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row);
    H5Dclose(data), H5Gclose(group);
  }
  H5Sclose(space), H5Fclose(file);
}

/* Every rank opens each dataset of a tree of groups. cured: with collective metadata. */
static void walk(bool cured) {
  enum { GROUPS = 150 };
  if (rank == 0) make_tree(GROUPS);
  MPI_Barrier(MPI_COMM_WORLD);
  hid_t access = together(), lookup = held(H5Pcreate(H5P_DATASET_ACCESS));
  if (cured) { /* HDF5 1.10 heeds it for an object only if it is in the object's list */
    H5Pset_all_coll_metadata_ops(access, 1);
    H5Pset_all_coll_metadata_ops(lookup, 1);
  }
  hid_t file = held(H5Fopen("tree.h5", H5F_ACC_RDONLY, access));
  for (int i = 0; i < GROUPS; i++) {
    char name[40];
    snprintf(name, sizeof name, "block%d/density", i);
    H5Dclose(held(H5Dopen2(file, name, lookup)));
  }
  H5Pclose(lookup), H5Pclose(access), H5Fclose(file);
}

/* The last rank still computes when the others close the file. */
static void late_close(bool cured) {
  for (int step = 0; step < 4; step++) {
    char name[40];
    snprintf(name, sizeof name, "step%d.h5", step);
    hid_t access = together(), file = held(H5Fcreate(name, H5F_ACC_TRUNC, 0, access));
    hsize_t whole = (hsize_t)ranks << 12, part = 1 << 12, start = (hsize_t)rank << 12;
    hid_t space = held(H5Screate_simple(1, &whole, NULL));
    hid_t memory = held(H5Screate_simple(1, &part, NULL));
    hid_t data = held(H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, 0, 0, 0));
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &part, NULL);
    must(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row) >= 0, "H5Dwrite");
    H5Dclose(data), H5Sclose(memory), H5Sclose(space), H5Pclose(access);
    if (cured || rank == ranks - 1) usleep(cured ? 250000 / (unsigned)ranks : 250000);
    H5Fclose(file);
  }
}

/* Makes a file with a compressed field of 16 MiB and a small table, under another name first. */
static void make_field(void) {
  hsize_t dims[] = {ROWS, COLUMNS}, chunk[] = {CHUNK, COLUMNS}, few = 1 << 14;
  for (unsigned i = 0; i < ROWS * COLUMNS; i++)
    field[i] = (float)(i * 2654435761U >> 20);
  hid_t file = held(H5Fcreate("made.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = held(H5Screate_simple(2, dims, NULL)), line = held(H5Screate_simple(1, &few, NULL));
  hid_t packed = held(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(packed, 2, chunk), H5Pset_deflate(packed, 1);
  hid_t data = held(H5Dcreate2(file, "height", H5T_NATIVE_FLOAT, space, 0, packed, 0));
  hid_t table = held(H5Dcreate2(file, "table", H5T_NATIVE_DOUBLE, line, 0, 0, 0));
  must(H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, field) >= 0, "height");
  must(H5Dwrite(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0, "table");
  H5Dclose(data), H5Dclose(table), H5Pclose(packed), H5Sclose(line), H5Sclose(space);
  H5Fclose(file);
  must(rename("made.h5", "field.h5") == 0, "field.h5");
}

/* Each rank needs its rows of a compressed field, but reads and decompresses all rows. cured: it
 * selects its rows. */
static void field_by_all(bool cured) {
  if (rank == 0) make_field();
  MPI_Barrier(MPI_COMM_WORLD);
  hid_t access = together(), file = held(H5Fopen("field.h5", H5F_ACC_RDONLY, access));
  hid_t data = held(H5Dopen2(file, "height", H5P_DEFAULT)), space = held(H5Dget_space(data));
  hsize_t mine[] = {ROWS / (hsize_t)ranks, COLUMNS}, start[] = {(hsize_t)rank * mine[0], 0};
  hid_t memory = held(H5Screate_simple(2, mine, NULL)), all = H5S_ALL;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, mine, NULL);
  hid_t in = cured ? memory : all, from = cured ? space : all;
  herr_t read =
      H5Dread(data, H5T_NATIVE_FLOAT, in, from, H5P_DEFAULT, field); /* blame: field-by-all */
  must(read >= 0, "H5Dread");
  H5Dclose(data), H5Sclose(memory), H5Sclose(space), H5Pclose(access), H5Fclose(file);
}

/* Each rank reads its rows, and a small table that all of them need. */
static void small_by_all(bool cured) {
  field_by_all(!cured);
  hid_t access = together(), file = held(H5Fopen("field.h5", H5F_ACC_RDONLY, access));
  hid_t table = held(H5Dopen2(file, "table", H5P_DEFAULT));
  must(H5Dread(table, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row) >= 0, "H5Dread");
  H5Dclose(table), H5Pclose(access), H5Fclose(file);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {{"walk", walk},
                                      {"late-close", late_close},
                                      {"field-by-all", field_by_all},
                                      {"small-by-all", small_by_all},
                                      {NULL, NULL}};
  return run_job(argc, argv, cases, &rank, &ranks);
}
