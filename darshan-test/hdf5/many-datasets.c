/* Creates, writes and closes datasets of 16 bytes: many-datasets FILE HOW-MANY. Then prints the
 * resident memory of the process in KiB, while the file is still open. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if an HDF5 call failed; otherwise returns its result. */
static hid_t must(hid_t result) {
  if (result < 0) exit(1);
  return result;
}

/* Prints the resident memory in KiB. */
static void print_resident(void) {
  static const char key[] = "VmRSS:";
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  if (!status) exit(1);
  while (fgets(line, sizeof(line), status))
    if (strncmp(line, key, sizeof(key) - 1) == 0)
      printf("%ld\n", strtol(line + sizeof(key) - 1, NULL, 10));
  fclose(status);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  long count = strtol(argv[2], NULL, 10);
  hsize_t length = 4;
  int values[4] = {1, 2, 3, 4};
  hid_t file = must(H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = must(H5Screate_simple(1, &length, NULL));
  for (long i = 0; i < count; i++) {
    char name[32];
    snprintf(name, sizeof(name), "dataset-%ld", i);
    hid_t dataset =
        must(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    must(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    must(H5Dclose(dataset));
  }
  print_resident();
  must(H5Sclose(space));
  return must(H5Fclose(file)) < 0;
}
