/* Threads that use one HDF5 library: in parallel if the library is thread-safe, otherwise one call
 * at a time, by a lock of this program. Prints whether it is thread-safe. Each thread writes its
 * own file, all threads write to one dataset, and each also does I/O without HDF5.
 *
 * A test compiles this with any library from HDF5 1.10 on, without the library's header. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int64_t hid_t;
typedef uint64_t hsize_t;

enum { DEFAULT = 0, TRUNCATE = 2, SET = 0, LOCAL = 0 };
enum { THREADS = 4, ROUNDS = 200, COLUMNS = 32, ROWS = 16, CHUNK_ROWS = 4, FLUSH_EVERY = 50 };
/* Bytes of each transfer without HDF5 in thread 0; in thread n, n more. */
enum { PLAIN = 1000 };

extern hid_t H5T_STD_I32LE_g, H5P_CLS_DATASET_CREATE_ID_g, H5P_CLS_DATASET_ACCESS_ID_g;
int H5open(void);
int H5is_library_threadsafe(bool *);
hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
int H5Sselect_hyperslab(hid_t, int, const hsize_t *, const hsize_t *, const hsize_t *,
                        const hsize_t *);
int H5Sclose(hid_t);
hid_t H5Pcreate(hid_t);
int H5Pset_chunk(hid_t, int, const hsize_t *);
int H5Pset_chunk_cache(hid_t, size_t, size_t, double);
hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t);
int H5Fflush(hid_t, int);
int H5Fclose(hid_t);
hid_t H5Dcreate2(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
int H5Dwrite(hid_t, hid_t, hid_t, hid_t, hid_t, const void *);
int H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
int H5Dclose(hid_t);

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t ready;
static bool threadsafe;

/* Ends the program if an HDF5 call failed; otherwise returns its result. line: of the call. */
static hid_t must(hid_t result, int line) {
  if (result >= 0) return result;
  fprintf(stderr, "failed in line %d\n", line);
  exit(1);
}
#define MUST(call) must((hid_t)(call), __LINE__)

/* Takes the lock if the library is not thread-safe. */
static void enter(void) {
  if (!threadsafe) pthread_mutex_lock(&one_at_a_time);
}
static void leave(void) {
  if (!threadsafe) pthread_mutex_unlock(&one_at_a_time);
}
/* Makes a call of HDF5, under the lock if the library needs that, and returns its result. */
#define H5(call)                                                                                   \
  __extension__({                                                                                  \
    enter();                                                                                       \
    hid_t result_ = MUST(call);                                                                    \
    leave();                                                                                       \
    result_;                                                                                       \
  })

struct worker {
  pthread_t thread;
  int number;
  hid_t shared; /* dataset with a row per thread */
};

/* Creates a dataset of rows without a chunk cache, so every call causes POSIX calls. chunk_rows:
 * rows in a chunk. Ends the program if HDF5 fails. */
static hid_t create_rows(hid_t file, const char *name, hsize_t rows, hsize_t chunk_rows) {
  hsize_t dims[2] = {rows, COLUMNS}, chunk[2] = {chunk_rows, COLUMNS};
  hid_t space = H5(H5Screate_simple(2, dims, NULL));
  hid_t create = H5(H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g));
  hid_t use = H5(H5Pcreate(H5P_CLS_DATASET_ACCESS_ID_g));
  H5(H5Pset_chunk(create, 2, chunk));
  H5(H5Pset_chunk_cache(use, 0, 0, 0));
  hid_t set = H5(H5Dcreate2(file, name, H5T_STD_I32LE_g, space, DEFAULT, create, use));
  H5(H5Sclose(space));
  return set;
}

/* Selects one row of a dataspace, which is returned. */
static hid_t select_row(hid_t space, hsize_t row) {
  hsize_t start[2] = {row, 0}, count[2] = {1, COLUMNS};
  H5(H5Sselect_hyperslab(space, SET, start, NULL, count, NULL));
  return space;
}

/* Writes and reads bytes of a file without HDF5. number: of the thread. */
static void beside(int fd, int number, int round) {
  char bytes[PLAIN + THREADS] = {0};
  size_t length = PLAIN + (size_t)number;
  off_t at = (off_t)length * round;
  MUST(pwrite(fd, bytes, length, at) == (ssize_t)length ? 0 : -1);
  MUST(pread(fd, bytes, length, at) == (ssize_t)length ? 0 : -1);
}

/* Writes and reads rows of the thread's own dataset, and writes its row of the shared one, ROUNDS
 * times. argument: its struct worker. Returns NULL; a failed call ends the program. */
static void *work(void *argument) {
  const struct worker *me = argument;
  char name[16], plain[16];
  int32_t row[COLUMNS], back[COLUMNS];
  hsize_t own_dims[2] = {ROWS, COLUMNS}, all_dims[2] = {THREADS, COLUMNS}, columns = COLUMNS;
  snprintf(name, sizeof(name), "%d.h5", me->number);
  snprintf(plain, sizeof(plain), "plain%d", me->number);
  int fd = (int)MUST(open(plain, O_CREAT | O_RDWR | O_TRUNC, 0644));
  pthread_barrier_wait(&ready);
  hid_t file = H5(H5Fcreate(name, TRUNCATE, DEFAULT, DEFAULT));
  hid_t set = create_rows(file, "d", ROWS, CHUNK_ROWS);
  hid_t memory = H5(H5Screate_simple(1, &columns, NULL));
  hid_t own = H5(H5Screate_simple(2, own_dims, NULL));
  hid_t all = select_row(H5(H5Screate_simple(2, all_dims, NULL)), (hsize_t)me->number);
  for (int i = 0; i < ROUNDS; i++) {
    for (int k = 0; k < COLUMNS; k++)
      row[k] = me->number * 1000000 + i * 100 + k;
    select_row(own, (hsize_t)(i % ROWS));
    H5(H5Dwrite(set, H5T_STD_I32LE_g, memory, own, DEFAULT, row));
    H5(H5Dread(set, H5T_STD_I32LE_g, memory, own, DEFAULT, back));
    MUST(memcmp(row, back, sizeof(row)) == 0 ? 0 : -1);
    H5(H5Dwrite(me->shared, H5T_STD_I32LE_g, memory, all, DEFAULT, row));
    if ((i + 1) % FLUSH_EVERY == 0) H5(H5Fflush(file, LOCAL));
    beside(fd, me->number, i);
  }
  H5(H5Dclose(set));
  H5(H5Fclose(file));
  MUST(close(fd));
  return NULL;
}

int main(void) {
  struct worker workers[THREADS];
  MUST(H5open());
  MUST(H5is_library_threadsafe(&threadsafe));
  printf("thread-safe %d\n", threadsafe);
  hid_t file = MUST(H5Fcreate("shared.h5", TRUNCATE, DEFAULT, DEFAULT));
  hid_t shared = create_rows(file, "all", THREADS, 1);
  if (pthread_barrier_init(&ready, NULL, THREADS)) return 1;
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (struct worker){.number = i, .shared = shared};
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) return 1;
  }
  for (int i = 0; i < THREADS; i++)
    if (pthread_join(workers[i].thread, NULL)) return 1;
  MUST(H5Dclose(shared));
  MUST(H5Fclose(file));
  return 0;
}
