/* Reads the dataset of `append` while it is written, as a SWMR reader: follow FILE COUNT. Every
 * element must have its value or, if the writer has extended the dataset but not yet written the
 * chunk, the fill value; anything else is an error. Ends when COUNT elements are written, and
 * prints how often it refreshed. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Milliseconds without new elements after which the reader gives up. */
enum { PATIENCE_STEPS = 60000 };

/* Prints a message and ends the program with status 1. */
static void fail(const char *what) {
  fprintf(stderr, "follow: %s failed\n", what);
  exit(1);
}

/* Drops cached metadata by H5Drefresh, and returns the current number of elements. Ends the program
 * on failure. */
static hsize_t refreshed_extent(hid_t dataset) {
  hsize_t extent = 0;
  if (H5Drefresh(dataset) < 0) fail("H5Drefresh");
  hid_t space = H5Dget_space(dataset);
  if (space < 0 || H5Sget_simple_extent_dims(space, &extent, NULL) != 1)
    fail("asking for the extent");
  H5Sclose(space);
  return extent;
}

/* Reads `count` elements from `first` on into `values`. */
static void read_elements(hid_t dataset, hsize_t first, hsize_t count, int *values) {
  hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
  if (space < 0 || memory < 0 ||
      H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL) < 0 ||
      H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) < 0)
    fail("reading");
  H5Sclose(memory);
  H5Sclose(space);
}

/* Returns how many of `count` elements, from the beginning of `values` on, have their value. first:
 * the number of the first one. Ends the program at a value that was never written. */
static hsize_t right_elements(const int *values, hsize_t first, hsize_t count) {
  hsize_t right = 0;
  for (hsize_t i = 0; i < count; i++) {
    int expected = (int)(first + i + 1);
    if (values[i] != expected && values[i] != 0) {
      fprintf(stderr, "follow: element %llu is %d\n", (unsigned long long)(first + i), values[i]);
      exit(1);
    }
    if (values[i] == expected && right == i) right++;
  }
  return right;
}

/* Opens the file and returns its id; negative if it cannot be opened for five seconds. Retries,
 * because while the writer extends the file, its superblock may name an end that does not exist
 * yet. */
static hid_t open_file(const char *path) {
  enum { TRIES = 5000 };
  const struct timespec pause = {0, 1000000};
  hid_t file = -1;
  for (int i = 0; file < 0 && i < TRIES; i++) {
    if (i) nanosleep(&pause, NULL);
    H5E_BEGIN_TRY {
      file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    }
    H5E_END_TRY;
  }
  return file;
}

int main(int argc, char **argv) {
  const struct timespec pause = {0, 1000000};
  if (argc != 3) {
    fputs("usage: follow FILE COUNT\n", stderr);
    return 2;
  }
  hsize_t wanted = strtoull(argv[2], NULL, 10), known = 0;
  unsigned long refreshes = 0, partial = 0;
  int *values = malloc(wanted * sizeof *values);
  hid_t file = open_file(argv[1]);
  hid_t dataset = file < 0 ? -1 : H5Dopen2(file, "elements", H5P_DEFAULT);
  if (dataset < 0 || !values) fail("opening");
  for (int idle = 0; known < wanted && idle < PATIENCE_STEPS; idle++) {
    hsize_t extent = refreshed_extent(dataset);
    refreshes++;
    if (extent > wanted) fail("the extent");
    if (extent > known) {
      read_elements(dataset, known, extent - known, values);
      hsize_t right = right_elements(values, known, extent - known);
      if (right < extent - known) partial++;
      if (right) idle = 0;
      known += right;
    }
    if (known < wanted) nanosleep(&pause, NULL);
  }
  free(values);
  if (known < wanted) fail("waiting for the writer");
  H5Dclose(dataset);
  H5Fclose(file);
  printf("refreshes %lu partial %lu elements %llu\n", refreshes, partial,
         (unsigned long long)known);
  return 0;
}
