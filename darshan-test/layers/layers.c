/* Scenarios whose HDF5 calls the tests compare with POSIX calls: layers SCENARIO, in the current
 * folder. The measured calls are between two marks, calls of access() that strace shows. */
#include <hdf5.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layers.h"

enum { ROWS = 64, COLUMNS = 4096, CHUNK_ROWS = 16, ROUNDS = 3 };
enum { PLACES = 400, SPACE = 64 << 20 };
enum { TALL = 512, WIDE = 8192, DEPTH = 4 };

/* Seconds in HDF5 calls by the program's own clock, and their number. */
static double spent;
static long calls;

int64_t checked(int64_t result, const char *call) {
  if (result < 0) {
    fprintf(stderr, "%s failed\n", call);
    exit(1);
  }
  return result;
}

void mark(const char *what) {
  char name[64];
  snprintf(name, sizeof(name), "mark:%s", what);
  if (access(name, F_OK) == 0) exit(1);
}

/* Returns the time of the program's clock in seconds. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int64_t timed(double begun, int64_t result, const char *call) {
  spent += now() - begun;
  calls++;
  return checked(result, call);
}
/* Adds a call that began at `begun` seconds to the measured ones. Returns its result, which must
 * not be negative. */
#define TIMED(call) (begun = now(), timed(begun, (call), #call))

hid_t select_row(hid_t space, hsize_t row, hsize_t columns) {
  hsize_t start[2] = {row, 0}, count[2] = {1, columns};
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  return space;
}

/* Writes and reads rows of chunks that have a checksum and do not fit into the cache, so each row
 * reads its whole chunk again. */
static void reread(void) {
  static int row[COLUMNS];
  hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {CHUNK_ROWS, COLUMNS}, columns = COLUMNS;
  hid_t create = CHECK(H5Pcreate(H5P_DATASET_CREATE)), use = CHECK(H5Pcreate(H5P_DATASET_ACCESS));
  CHECK(H5Pset_chunk(create, 2, chunk));
  CHECK(H5Pset_fletcher32(create));
  CHECK(H5Pset_chunk_cache(use, 0, 0, 0));
  hid_t file = CHECK(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  hid_t space = CHECK(H5Screate_simple(2, dims, NULL));
  hid_t memory = CHECK(H5Screate_simple(1, &columns, NULL));
  hid_t set = CHECK(H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, create, use));
  mark("begin");
  for (hsize_t i = 0; i < ROWS; i++)
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, memory, select_row(space, i, COLUMNS), H5P_DEFAULT, row));
  for (hsize_t i = 0; i < ROWS * ROUNDS; i++)
    CHECK(H5Dread(set, H5T_NATIVE_INT, memory, select_row(space, i % ROWS, COLUMNS), H5P_DEFAULT,
                  row));
  CHECK(H5Dclose(set));
  mark("end");
  CHECK(H5Fclose(file));
}

/* Writes or reads many small ranges in random order. */
static void scattered_transfers(hid_t set, hid_t space, int writes) {
  static char bytes[256];
  uint64_t seed = 12345 + (unsigned)writes;
  for (int i = 0; i < PLACES; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    hsize_t start = (seed >> 33) % (SPACE - 256), count = 1 + (seed >> 20) % 255;
    if (i == 0 && writes) start = SPACE - count; /* all reads are inside the file */
    hid_t memory = CHECK(H5Screate_simple(1, &count, NULL));
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL));
    if (writes)
      CHECK(H5Dwrite(set, H5T_NATIVE_CHAR, memory, space, H5P_DEFAULT, bytes));
    else
      CHECK(H5Dread(set, H5T_NATIVE_CHAR, memory, space, H5P_DEFAULT, bytes));
    CHECK(H5Sclose(memory));
  }
}

/* Writes and reads more ranges than the runtime stores individually; no sieve buffer of HDF5 joins
 * them. */
static void scattered(void) {
  hsize_t size = SPACE;
  hid_t use = CHECK(H5Pcreate(H5P_FILE_ACCESS));
  CHECK(H5Pset_sieve_buf_size(use, 0));
  hid_t file = CHECK(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, use));
  hid_t space = CHECK(H5Screate_simple(1, &size, NULL));
  hid_t set =
      CHECK(H5Dcreate2(file, "d", H5T_NATIVE_CHAR, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  mark("begin");
  scattered_transfers(set, space, 1);
  scattered_transfers(set, space, 0);
  CHECK(H5Dclose(set));
  mark("end");
  CHECK(H5Fclose(file));
}

/* Reads a dataset inside of a call that visits links. */
static herr_t read_inside(hid_t group, const char *name, const H5L_info_t *info, void *values) {
  (void)info;
  hid_t set = CHECK(H5Dopen2(group, name, H5P_DEFAULT));
  CHECK(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  CHECK(H5Dclose(set));
  return 0;
}

/* Makes long calls, some of them nested, and prints the time of all outermost calls. */
static void timing(void) {
  double begun;
  char name[16];
  hsize_t dims[2] = {TALL, WIDE}, chunk[2] = {TALL / 8, WIDE};
  int *values = malloc(sizeof(int) * TALL * WIDE);
  if (!values) exit(1);
  for (int i = 0; i < TALL * WIDE; i++)
    values[i] = i % 1009 * 7919 % 1013;
  hid_t create = CHECK(H5Pcreate(H5P_DATASET_CREATE));
  CHECK(H5Pset_chunk(create, 2, chunk));
  CHECK(H5Pset_deflate(create, 1));
  hid_t space = CHECK(H5Screate_simple(2, dims, NULL));
  hid_t file = TIMED(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  for (int i = 0; i < DEPTH; i++) {
    snprintf(name, sizeof(name), "d%d", i);
    hid_t set =
        TIMED(H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, create, H5P_DEFAULT));
    TIMED(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    TIMED(H5Dclose(set));
  }
  TIMED(H5Fflush(file, H5F_SCOPE_GLOBAL));
  TIMED(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, read_inside, values));
  TIMED(H5Fclose(file));
  free(values);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } scenarios[] = {{"reread", reread},   {"scattered", scattered}, {"timing", timing},
                   {"threads", threads}, {"early", early},         {"storage", storage},
                   {"caches", caches},   {"streams", streams}};
  for (size_t i = 0; argc == 2 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
    if (strcmp(argv[1], scenarios[i].name) == 0) {
      scenarios[i].run();
      printf("%.9f %ld\n", spent, calls);
      return 0;
    }
  fprintf(stderr, "usage: layers SCENARIO\n");
  return 2;
}
