/* One call of each kind of wrapper around HDF5, which the test interrupts. */
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

#include "target.h"

static hid_t file = -1, space = -1, dataset = -1;
static int memory[64];

void target_begin(void) {
  hsize_t size = 64;
  file = H5Fcreate("h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  space = H5Screate_simple(1, &size, NULL);
  must(file);
  must(space);
}

static hid_t new_dataset(const char *name) {
  hid_t made = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  must(made);
  return made;
}

static void have_dataset(void) {
  dataset = new_dataset("first");
  must(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory));
}

/* Does the I/O that follows the call. The library may have been interrupted in the middle of its
 * work, so this uses another dataset and closes nothing. */
void target_end(void) {
  hid_t another = new_dataset("another");
  for (int i = 0; i < 3; i++)
    must(H5Dwrite(another, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory));
  H5Fflush(file, H5F_SCOPE_LOCAL);
}

static void call_write(void) {
  must(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory));
}
static void call_read(void) {
  must(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, memory));
}
static void call_create(void) {
  new_dataset("made");
}
static void call_close(void) {
  must(H5Dclose(dataset));
}

static hid_t attribute = -1, group = -1;

static void have_attribute(void) {
  hid_t scalar = H5Screate(H5S_SCALAR);
  must(scalar);
  attribute = H5Acreate2(file, "known", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
  must(attribute);
}
static void call_attribute(void) {
  must(H5Awrite(attribute, H5T_NATIVE_INT, memory));
}
static void have_group(void) {
  group = H5Gcreate2(file, "known", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  must(group);
}
static void call_group(void) {
  must(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void call_group_close(void) {
  must(H5Gclose(group));
}

const struct kind target_kinds[] = {{"H5Dwrite", have_dataset, call_write, 0},
                                    {"H5Dread", have_dataset, call_read, 0},
                                    {"H5Dcreate", NULL, call_create, 0},
                                    {"H5Dclose", have_dataset, call_close, 0},
                                    {"H5Awrite", have_attribute, call_attribute, 0},
                                    {"H5Gcreate", NULL, call_group, 0},
                                    {"H5Gclose", have_group, call_group_close, 0},
                                    {NULL, NULL, NULL, 0}};
