/* Scenarios in which two threads do POSIX I/O without HDF5 while a third thread calls HDF5. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "layers.h"

enum { WORKERS = 2, TRANSFERS = 2000, LENGTH = 1000, ROWS = 256, COLUMNS = 512, CHUNK = 32 };

static pthread_barrier_t ready;

/* Writes and reads a file. length: bytes of each transfer. */
static void transfers(const char *name, size_t length) {
  static char zeros[LENGTH + WORKERS];
  char bytes[LENGTH + WORKERS];
  int fd = (int)CHECK(open(name, O_CREAT | O_RDWR | O_TRUNC, 0644));
  for (int i = 0; i < TRANSFERS; i++)
    CHECK(pwrite(fd, zeros, length, (off_t)(i * length)));
  for (int i = 0; i < TRANSFERS; i++)
    CHECK(pread(fd, bytes, length, (off_t)(i * length)));
  CHECK(close(fd));
}

/* Transfers bytes of its own file; the function of a thread. number: its index. */
static void *worker(void *number) {
  char name[16];
  int mine = *(const int *)number;
  snprintf(name, sizeof(name), "plain%d", mine);
  pthread_barrier_wait(&ready);
  transfers(name, LENGTH + (size_t)mine);
  return NULL;
}

/* Writes and reads a dataset row by row. */
static void rows(hid_t file) {
  static int row[COLUMNS];
  hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {CHUNK, COLUMNS}, columns = COLUMNS;
  hid_t create = CHECK(H5Pcreate(H5P_DATASET_CREATE)), use = CHECK(H5Pcreate(H5P_DATASET_ACCESS));
  CHECK(H5Pset_chunk(create, 2, chunk));
  CHECK(H5Pset_fletcher32(create));
  CHECK(H5Pset_chunk_cache(use, 0, 0, 0));
  hid_t space = CHECK(H5Screate_simple(2, dims, NULL));
  hid_t memory = CHECK(H5Screate_simple(1, &columns, NULL));
  hid_t set = CHECK(H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, create, use));
  for (hsize_t i = 0; i < ROWS; i++)
    CHECK(H5Dwrite(set, H5T_NATIVE_INT, memory, select_row(space, i, COLUMNS), H5P_DEFAULT, row));
  for (hsize_t i = 0; i < ROWS; i++)
    CHECK(H5Dread(set, H5T_NATIVE_INT, memory, select_row(space, i, COLUMNS), H5P_DEFAULT, row));
  CHECK(H5Dclose(set));
}

void threads(void) {
  pthread_t thread[WORKERS];
  int number[WORKERS];
  hid_t file = (hid_t)CHECK(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  if (pthread_barrier_init(&ready, NULL, WORKERS + 1)) return;
  for (int i = 0; i < WORKERS; i++) {
    number[i] = i;
    CHECK(-pthread_create(&thread[i], NULL, worker, &number[i]));
  }
  pthread_barrier_wait(&ready);
  rows(file);
  for (int i = 0; i < WORKERS; i++)
    pthread_join(thread[i], NULL);
  CHECK(H5Fclose(file));
}

void early(void) {
  transfers("early", LENGTH);
  threads();
}
