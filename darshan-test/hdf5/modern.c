/* Calls that HDF5 has since 1.14: asynchronous calls, calls for several datasets, and chunks as
 * they are stored. Prints facts in the format of facts.h.
 *
 * A test compiles this with the library of a Python wheel, which contains no header; HDF5_MAJOR is
 * the library's version. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t hid_t;
typedef uint64_t hsize_t;

enum { DEFAULT = 0, TRUNCATE = 2, READ_WRITE = 1, NO_EVENTS = 0, N = 12 };
#define WHERE __FILE__, __func__, __LINE__

extern hid_t H5T_STD_I32LE_g, H5P_CLS_DATASET_CREATE_ID_g;
int H5open(void);
hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
int H5Sselect_hyperslab(hid_t, int, const hsize_t *, const hsize_t *, const hsize_t *,
                        const hsize_t *);
hid_t H5Pcreate(hid_t);
int H5Pset_chunk(hid_t, int, const hsize_t *);
hid_t H5Fcreate_async(const char *, const char *, unsigned, const char *, unsigned, hid_t, hid_t,
                      hid_t);
hid_t H5Fopen_async(const char *, const char *, unsigned, const char *, unsigned, hid_t, hid_t);
int H5Fflush_async(const char *, const char *, unsigned, hid_t, int, hid_t);
int H5Fclose_async(const char *, const char *, unsigned, hid_t, hid_t);
hid_t H5Dcreate_async(const char *, const char *, unsigned, hid_t, const char *, hid_t, hid_t,
                      hid_t, hid_t, hid_t, hid_t);
hid_t H5Dopen_async(const char *, const char *, unsigned, hid_t, const char *, hid_t, hid_t);
int H5Dread_async(const char *, const char *, unsigned, hid_t, hid_t, hid_t, hid_t, hid_t, void *,
                  hid_t);
int H5Dwrite_async(const char *, const char *, unsigned, hid_t, hid_t, hid_t, hid_t, hid_t,
                   const void *, hid_t);
int H5Dset_extent_async(const char *, const char *, unsigned, hid_t, const hsize_t *, hid_t);
int H5Dclose_async(const char *, const char *, unsigned, hid_t, hid_t);
int H5Dread_multi(size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, void *[]);
int H5Dwrite_multi(size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, const void *[]);
int H5Dwrite_chunk(hid_t, hid_t, uint32_t, const hsize_t *, size_t, const void *);
#if HDF5_MAJOR >= 2
int H5Dread_chunk1(hid_t, hid_t, const hsize_t *, uint32_t *, void *);
int H5Dread_chunk2(hid_t, hid_t, const hsize_t *, uint32_t *, void *, size_t *);
#else
int H5Dread_chunk(hid_t, hid_t, const hsize_t *, uint32_t *, void *);
#endif

static const hsize_t length = N, chunk = 4, unlimited = UINT64_MAX;
static const char *names[2] = {"one", "two"};
static int32_t values[2][2 * N];

/* Ends the program if an HDF5 call failed; otherwise returns its result. line: of the call. */
static hid_t must(hid_t result, int line) {
  if (result >= 0) return result;
  fprintf(stderr, "failed in line %d\n", line);
  exit(1);
}
#define MUST(call) must((hid_t)(call), __LINE__)

/* Prints a read or write (what) of n elements of dataset i. shape: the last fields of the fact. */
static void say_transfer(const char *what, int i, hsize_t n, const char *shape) {
  printf("dataset\t%s\ta.h5\t/%s\t%llu\t%s\n", what, names[i], (unsigned long long)n * 4, shape);
}

/* Prints that dataset i with n elements was created or opened. */
static void say_open(int i, hsize_t n) {
  printf("dataset\topen\ta.h5\t/%s\t0\t4\t%llu\t%llu\n", names[i], (unsigned long long)n,
         (unsigned long long)chunk);
}

static void create_both(hid_t file, hid_t ids[2]) {
  hid_t space = MUST(H5Screate_simple(1, &length, &unlimited));
  hid_t properties = MUST(H5Pcreate(H5P_CLS_DATASET_CREATE_ID_g));
  MUST(H5Pset_chunk(properties, 1, &chunk));
  for (int i = 0; i < 2; i++) {
    ids[i] = MUST(H5Dcreate_async(WHERE, file, names[i], H5T_STD_I32LE_g, space, DEFAULT,
                                  properties, DEFAULT, NO_EVENTS));
    say_open(i, length);
  }
}

/* Transfers the whole first dataset and a part of the second one, each time both in one call
 * (H5Dwrite_multi, H5Dread_multi), and prints the facts. */
static void several(hid_t ids[2]) {
  hsize_t start = 1, stride = 3, count = 2, block = 2, n = 4;
  hid_t types[2] = {H5T_STD_I32LE_g, H5T_STD_I32LE_g};
  hid_t part = MUST(H5Screate_simple(1, &length, NULL)), four = MUST(H5Screate_simple(1, &n, NULL));
  MUST(H5Sselect_hyperslab(part, 0, &start, &stride, &count, &block));
  hid_t file_spaces[2] = {DEFAULT, part}, memory_spaces[2] = {DEFAULT, four};
  void *buffers[2] = {values[0], values[1]};
  const void *sources[2] = {values[0], values[1]};
  MUST(H5Dwrite_multi(2, ids, types, memory_spaces, file_spaces, DEFAULT, sources));
  MUST(H5Dread_multi(2, ids, types, memory_spaces, file_spaces, DEFAULT, buffers));
  for (int i = 0; i < 2; i++) {
    say_transfer(i ? "read" : "write", 0, length, "all\t-\t-");
    say_transfer(i ? "read" : "write", 1, n, "regular\t4\t3");
    printf("meta\tMULTI_OPS\ta.h5\n");
  }
}

/* Writes and reads a chunk of the first dataset as it is stored. */
static void chunks(hid_t id) {
  const hsize_t at = 4;
  uint32_t filters = 0;
  MUST(H5Dwrite_chunk(id, DEFAULT, 0, &at, 16, values[0]));
  say_transfer("write", 0, chunk, "none\t-\t-");
#if HDF5_MAJOR >= 2
  size_t room = 16;
  MUST(H5Dread_chunk1(id, DEFAULT, &at, &filters, values[0]));
  MUST(H5Dread_chunk2(id, DEFAULT, &at, &filters, values[0], &room));
  say_transfer("read", 0, chunk, "none\t-\t-");
  say_transfer("read", 0, chunk, "none\t-\t-");
  printf("meta\tCHUNK_READS\ta.h5\nmeta\tCHUNK_READS\ta.h5\n");
#else
  MUST(H5Dread_chunk(id, DEFAULT, &at, &filters, values[0]));
  say_transfer("read", 0, chunk, "none\t-\t-");
  printf("meta\tCHUNK_READS\ta.h5\n");
#endif
  printf("meta\tCHUNK_WRITES\ta.h5\n");
}

static void close_both(hid_t file, hid_t ids[2]) {
  for (int i = 0; i < 2; i++) {
    MUST(H5Dclose_async(WHERE, ids[i], NO_EVENTS));
    printf("dataset\tclose\ta.h5\t/%s\n", names[i]);
  }
  MUST(H5Fclose_async(WHERE, file, NO_EVENTS));
  printf("file\tclose\ta.h5\n");
}

int main(void) {
  hid_t ids[2];
  MUST(H5open());
  hid_t file = MUST(H5Fcreate_async(WHERE, "a.h5", TRUNCATE, DEFAULT, DEFAULT, NO_EVENTS));
  printf("file\topen\ta.h5\n");
  create_both(file, ids);
  several(ids);
  chunks(ids[0]);
  hsize_t more = 2 * N;
  MUST(H5Dset_extent_async(WHERE, ids[1], &more, NO_EVENTS));
  printf("dataset\textent\ta.h5\t/two\t%llu\nmeta\tSET_EXTENTS\ta.h5\n", (unsigned long long)more);
  MUST(H5Dwrite_async(WHERE, ids[1], H5T_STD_I32LE_g, DEFAULT, DEFAULT, DEFAULT, values[1],
                      NO_EVENTS));
  say_transfer("write", 1, more, "all\t-\t-");
  MUST(H5Fflush_async(WHERE, file, 0, NO_EVENTS));
  printf("file\tflush\ta.h5\n");
  close_both(file, ids);
  file = MUST(H5Fopen_async(WHERE, "a.h5", READ_WRITE, DEFAULT, NO_EVENTS));
  printf("file\topen\ta.h5\n");
  for (int i = 0; i < 2; i++) {
    ids[i] = MUST(H5Dopen_async(WHERE, file, names[i], DEFAULT, NO_EVENTS));
    say_open(i, i ? more : length);
    MUST(H5Dread_async(WHERE, ids[i], H5T_STD_I32LE_g, DEFAULT, DEFAULT, DEFAULT, values[i],
                       NO_EVENTS));
    say_transfer("read", i, i ? more : length, "all\t-\t-");
  }
  close_both(file, ids);
  return 0;
}
