/* The ranks write and read an HDF5 file together, one dataset collectively and one independently,
 * and then a file by MPI-IO without HDF5. Usage: parallel FOLDER. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS = 8, COLUMNS = 1024 };

static int rank, ranks;

static hid_t checked(hid_t result, const char *call) {
  if (result >= 0) return result;
  fprintf(stderr, "%s failed\n", call);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return result;
}
/* Returns the result of an HDF5 call; ends the job if it failed. call: for the message. */
#define CHECK(call) checked((call), #call)

/* Creates a dataset, writes it and reads it by the transfer mode; each rank transfers different
 * columns of every row. */
static void transfer(hid_t file, const char *name, H5FD_mpio_xfer_t mode) {
  static double values[ROWS * COLUMNS];
  hsize_t dims[2] = {ROWS, (hsize_t)ranks * COLUMNS}, count[2] = {ROWS, COLUMNS};
  hsize_t start[2] = {0, (hsize_t)rank * COLUMNS};
  hid_t how = CHECK(H5Pcreate(H5P_DATASET_XFER));
  CHECK(H5Pset_dxpl_mpio(how, mode));
  hid_t space = CHECK(H5Screate_simple(2, dims, NULL));
  hid_t memory = CHECK(H5Screate_simple(2, count, NULL));
  hid_t set = CHECK(
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, how, values));
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, how, values));
  CHECK(H5Dclose(set));
  CHECK(H5Sclose(memory));
  CHECK(H5Sclose(space));
  CHECK(H5Pclose(how));
}

/* Writes and reads a file by MPI-IO, without HDF5. */
static void plain(void) {
  static char bytes[5000];
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, "plain", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                    &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_File_write_at_all(file, (MPI_Offset)rank * 5000, bytes, 5000, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2 || chdir(argv[1]) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  hid_t access = CHECK(H5Pcreate(H5P_FILE_ACCESS));
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  hid_t file = CHECK(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  transfer(file, "together", H5FD_MPIO_COLLECTIVE);
  transfer(file, "apart", H5FD_MPIO_INDEPENDENT);
  CHECK(H5Fclose(file));
  CHECK(H5Pclose(access));
  plain();
  MPI_Finalize();
  return 0;
}
