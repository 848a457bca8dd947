/* A plug-in that is linked with HDF5, as extension modules of Python are. */
#include <hdf5.h>

/* Writes and reads a dataset of n integers. Returns 0, or -1 if a call failed. */
int use_hdf5(const char *name, int n);
/* Like use_hdf5, but leaves all objects open. */
int leave_hdf5(const char *name, int n);

/* Creates a file with a dataset of n integers. Returns the dataset's id, and sets the ids of the
 * file and of the dataspace; a negative id means failure. */
static hid_t open_dataset(const char *name, int n, hid_t *file, hid_t *space) {
  hsize_t length = (hsize_t)n;
  *file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  *space = H5Screate_simple(1, &length, NULL);
  return H5Dcreate2(*file, "d", H5T_NATIVE_INT, *space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

/* Writes and reads the whole dataset. Returns 1 if a call failed, else 0. */
static int transfer(hid_t data) {
  static int values[64];
  int bad = H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
  bad |= H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
  return bad;
}

int use_hdf5(const char *name, int n) {
  hid_t file, space, data = open_dataset(name, n, &file, &space);
  int bad = transfer(data);
  bad |= H5Dclose(data) < 0;
  bad |= H5Sclose(space) < 0;
  bad |= H5Fclose(file) < 0;
  return bad ? -1 : 0;
}

int leave_hdf5(const char *name, int n) {
  hid_t file, space;
  return transfer(open_dataset(name, n, &file, &space)) ? -1 : 0;
}
