/* Times one kind of HDF5 call in a loop: hdf5-cost KIND CALLS FOLDER. Prints nanoseconds of
 * processor time per call, in the fastest of LOOPS loops. The difference between a run with and a
 * run without the runtime is the runtime's cost. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor-time.h"

enum { LOOPS = 40 };

static hid_t file, data, element, one;

/* Ends the program if an HDF5 call failed; otherwise returns its result. */
static hid_t must(hid_t result) {
  if (result < 0) exit(1);
  return result;
}

/* Creates a dataset of integers and returns its id. */
static hid_t create(const char *name, hsize_t length) {
  hid_t space = must(H5Screate_simple(1, &length, NULL));
  hid_t id =
      must(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  return id;
}

/* Creates the file cost.h5 in the folder with a dataset, and the two selections of one element: in
 * the file (element) and in memory (one). Ends the program if HDF5 fails. */
static void prepare(const char *folder) {
  char path[4096];
  hsize_t length = 1024, start = 7, count = 1;
  snprintf(path, sizeof(path), "%s/cost.h5", folder);
  file = must(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  data = create("data", length);
  element = must(H5Screate_simple(1, &length, NULL));
  must(H5Sselect_hyperslab(element, H5S_SELECT_SET, &start, NULL, &count, NULL));
  one = must(H5Screate_simple(1, &count, NULL));
  int value = 1;
  must(H5Dwrite(data, H5T_NATIVE_INT, one, element, H5P_DEFAULT, &value));
}

/* Reads one element of the dataset. */
static void read_one(void) {
  int value;
  must(H5Dread(data, H5T_NATIVE_INT, one, element, H5P_DEFAULT, &value));
}

/* Writes one element of the dataset. */
static void write_one(void) {
  int value = 2;
  must(H5Dwrite(data, H5T_NATIVE_INT, one, element, H5P_DEFAULT, &value));
}

/* Opens and closes the dataset. */
static void open_close(void) {
  must(H5Dclose(must(H5Dopen2(file, "data", H5P_DEFAULT))));
}

/* Creates and closes another dataset. */
static void create_close(void) {
  static int number;
  char name[16];
  snprintf(name, sizeof(name), "d%d", number++);
  must(H5Dclose(create(name, 4)));
}

/* Creates an attribute of one integer and returns its id. */
static hid_t attribute_of(hid_t object, const char *name) {
  hid_t scalar = must(H5Screate(H5S_SCALAR));
  return must(H5Acreate2(object, name, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
}

/* Writes an attribute, which the first call creates. */
static void attribute_write(void) {
  int value = 3;
  static hid_t made;
  if (!made) made = attribute_of(data, "a");
  must(H5Awrite(made, H5T_NATIVE_INT, &value));
}

/* Reads an attribute, which the first call creates. */
static void attribute_read(void) {
  int value = 4;
  static hid_t made;
  if (!made) {
    made = attribute_of(data, "r");
    must(H5Awrite(made, H5T_NATIVE_INT, &value));
  }
  must(H5Aread(made, H5T_NATIVE_INT, &value));
}

/* Opens and closes an attribute, which the first call creates. */
static void attribute_open(void) {
  static hid_t made;
  if (!made) made = attribute_of(data, "o");
  must(H5Aclose(must(H5Aopen(data, "o", H5P_DEFAULT))));
}

/* Creates and closes another group. */
static void group_create(void) {
  static int number;
  char name[16];
  snprintf(name, sizeof(name), "g%d", number++);
  must(H5Gclose(must(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
}

/* Opens and closes a group, which the first call creates. */
static void group_open(void) {
  static hid_t made;
  if (!made) made = must(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  must(H5Gclose(must(H5Gopen2(file, "group", H5P_DEFAULT))));
}

static const struct {
  const char *name;
  void (*call)(void);
} kinds[] = {
    {"read", read_one},
    {"write", write_one},
    {"open", open_close},
    {"create", create_close},
    {"attribute", attribute_write},
    {"attribute-read", attribute_read},
    {"attribute-open", attribute_open},
    {"group-create", group_create},
    {"group-open", group_open},
};

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  long calls = strtol(argv[2], NULL, 10);
  void (*call)(void) = NULL;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (strcmp(kinds[i].name, argv[1]) == 0) call = kinds[i].call;
  if (!call || calls < LOOPS) return 2;
  prepare(argv[3]);
  call(); /* the first call has extra costs */
  printf("%.1f\n", fastest_loop(call, calls, LOOPS));
  return must(H5Fclose(file)) < 0;
}
