/* Writes a chunked, compressed dataset with an attribute into a group, and prints a value that it
 * reads from the file. */
#include <hdf5.h>
#include <stdio.h>

enum { ROWS = 64, COLUMNS = 32 };

static int values[ROWS][COLUMNS], back[ROWS][COLUMNS];

/* Writes an attribute of an object. */
static void attribute(hid_t of) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t id = H5Acreate2(of, "version", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(id, H5T_NATIVE_INT, values);
  H5Aclose(id);
  H5Sclose(space);
}

int main(void) {
  hsize_t size[] = {ROWS, COLUMNS}, chunk[] = {16, 16}, half[] = {ROWS / 2, COLUMNS};
  hsize_t start[] = {0, 0};
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      values[i][j] = i * COLUMNS + j;
  hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t group = H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, size, NULL), part = H5Screate_simple(2, half, NULL);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(list, 0); /* makes the bytes of two runs equal */
  H5Pset_chunk(list, 2, chunk);
  H5Pset_deflate(list, 3);
  hid_t data = H5Dcreate2(group, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  attribute(data);
  H5Dclose(data);
  H5Fflush(file, H5F_SCOPE_GLOBAL);
  data = H5Dopen2(file, "group/d", H5P_DEFAULT);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, half, NULL);
  H5Dread(data, H5T_NATIVE_INT, part, space, H5P_DEFAULT, back);
  H5Dclose(data);
  H5Pclose(list);
  H5Sclose(part);
  H5Sclose(space);
  H5Gclose(group);
  int bad = H5Fclose(file) < 0;
  printf("%d\n", back[3][4]);
  return bad;
}
