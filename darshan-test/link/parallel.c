/* Writes one dataset collectively with parallel HDF5, one row per process. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>

enum { COLUMNS = 100 };

int main(int argc, char **argv) {
  int rank, size, values[COLUMNS];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  hsize_t all[] = {(hsize_t)size, COLUMNS}, row[] = {1, COLUMNS}, start[] = {(hsize_t)rank, 0};
  for (int i = 0; i < COLUMNS; i++)
    values[i] = rank;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(list, 0); /* makes the bytes of two runs equal */
  H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
  hid_t file = H5Fcreate("parallel.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hid_t space = H5Screate_simple(2, all, NULL), part = H5Screate_simple(2, row, NULL);
  hid_t data = H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, row, NULL);
  int bad = H5Dwrite(data, H5T_NATIVE_INT, part, space, transfer, values) < 0;
  H5Dclose(data);
  H5Sclose(part);
  H5Sclose(space);
  H5Pclose(list);
  H5Pclose(transfer);
  H5Pclose(access);
  bad |= H5Fclose(file) < 0;
  if (rank == 0) printf("%s\n", bad ? "something is wrong" : "all is well");
  MPI_Finalize();
  return bad;
}
