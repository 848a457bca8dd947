/* Reads and writes two datasets in one call, of which one is three times as large as the other: the
 * call's time and its POSIX calls are divided between them. Prints facts in the format of facts.h.
 *
 * A test compiles this with the library of a Python wheel, which contains no header. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int64_t hid_t;
typedef uint64_t hsize_t;

enum { DEFAULT = 0, TRUNCATE = 2, READ_WRITE = 1, NO_EVENTS = 0, N = 20000, TURNS = 2 };
/* First parameters of asynchronous functions: file, function and line of the call. */
#define WHERE_TYPES const char *, const char *, unsigned
#define WHERE __FILE__, __func__, __LINE__

extern hid_t H5T_STD_I32LE_g;
int H5open(void);
hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t);
hid_t H5Fopen(const char *, unsigned, hid_t);
int H5Fclose(hid_t);
hid_t H5Dcreate2(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Dopen2(hid_t, const char *, hid_t);
int H5Dclose(hid_t);
int H5Dread_multi(size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, void *[]);
int H5Dwrite_multi(size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, const void *[]);
int H5Dread_multi_async(WHERE_TYPES, size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t, void *[],
                        hid_t);
int H5Dwrite_multi_async(WHERE_TYPES, size_t, hid_t[], hid_t[], hid_t[], hid_t[], hid_t,
                         const void *[], hid_t);

static const char *const names[2] = {"one", "three"};
static const hsize_t lengths[2] = {N, 3 * N};
static int32_t values[2][3 * N];

/* Ends the program if an HDF5 call failed; otherwise returns its result. line: of the call. */
static hid_t must(hid_t result, int line) {
  if (result >= 0) return result;
  fprintf(stderr, "failed in line %d\n", line);
  exit(1);
}
#define MUST(call) must((hid_t)(call), __LINE__)

static void say_open(int i) {
  printf("dataset\topen\ta.h5\t/%s\t0\t4\t%llu\t-\n", names[i], (unsigned long long)lengths[i]);
}

static void say_both(const char *what) {
  for (int i = 0; i < 2; i++)
    printf("dataset\t%s\ta.h5\t/%s\t%llu\tall\t-\t-\n", what, names[i],
           (unsigned long long)lengths[i] * 4);
  printf("meta\tMULTI_OPS\ta.h5\n");
}

static void close_all(hid_t file, const hid_t ids[2]) {
  for (int i = 0; i < 2; i++) {
    MUST(H5Dclose(ids[i]));
    printf("dataset\tclose\ta.h5\t/%s\n", names[i]);
  }
  MUST(H5Fclose(file));
  printf("file\tclose\ta.h5\n");
}

int main(void) {
  hid_t ids[2], spaces[2] = {DEFAULT, DEFAULT};
  void *buffers[2] = {values[0], values[1]};
  const void *sources[2] = {values[0], values[1]};
  MUST(H5open());
  hid_t types[2] = {H5T_STD_I32LE_g, H5T_STD_I32LE_g};
  hid_t file = MUST(H5Fcreate("a.h5", TRUNCATE, DEFAULT, DEFAULT));
  printf("file\topen\ta.h5\n");
  for (int i = 0; i < 2; i++) {
    hid_t space = MUST(H5Screate_simple(1, &lengths[i], NULL));
    ids[i] = MUST(H5Dcreate2(file, names[i], types[i], space, DEFAULT, DEFAULT, DEFAULT));
    say_open(i);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    MUST(H5Dwrite_multi(2, ids, types, spaces, spaces, DEFAULT, sources));
    say_both("write");
    MUST(H5Dwrite_multi_async(WHERE, 2, ids, types, spaces, spaces, DEFAULT, sources, NO_EVENTS));
    say_both("write");
  }
  close_all(file, ids);
  file = MUST(H5Fopen("a.h5", READ_WRITE, DEFAULT));
  printf("file\topen\ta.h5\n");
  for (int i = 0; i < 2; i++) {
    ids[i] = MUST(H5Dopen2(file, names[i], DEFAULT));
    say_open(i);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    MUST(H5Dread_multi(2, ids, types, spaces, spaces, DEFAULT, buffers));
    say_both("read");
    MUST(H5Dread_multi_async(WHERE, 2, ids, types, spaces, spaces, DEFAULT, buffers, NO_EVENTS));
    say_both("read");
  }
  close_all(file, ids);
  return 0;
}
