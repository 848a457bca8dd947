/* An independent implementation of the rules of POSIX records, written for clarity. */
#include "calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* Only the first 32 distinct values of a kind are counted. */
enum { WATCHED = 32, READ = 0, WRITE = 1 };

struct watched {
  long value, count;
};

struct state {
  const char *path;
  long offset;
  long last_byte[2]; /* of the last read and write; 0 after open and close */
  int last_kind;     /* -1: no transfer yet */
  int transfers[2];
  struct watched access[WATCHED], stride[WATCHED];
};

static struct state states[256];
static int num_states;

static struct state *state_of(const char *path) {
  for (int i = 0; i < num_states; i++)
    if (states[i].path == path || !strcmp(states[i].path, path)) return &states[i];
  CHECK(num_states < 256);
  struct state *state = &states[num_states++];
  state->path = path;
  state->last_kind = -1;
  return state;
}

static long file_alignment(void) {
  struct statfs fs;
  CHECK(SYS2(SYS_statfs, test_dir, &fs) == 0);
  return (long)fs.f_bsize;
}

static void posix_record(const char *path) {
  if (expects_record("POSIX", path)) return;
  expect_value(path, "POSIX_MEM_ALIGNMENT", 8);
  expect_value(path, "POSIX_FILE_ALIGNMENT", file_alignment());
}

static void restart(const char *path) {
  struct state *state = state_of(path);
  state->last_byte[READ] = state->last_byte[WRITE] = 0;
}

void model_open(const char *path, unsigned mode) {
  posix_record(path);
  expect(path, "POSIX_OPENS", 1);
  if (mode) expect_value(path, "POSIX_MODE", (long)mode);
  restart(path);
  state_of(path)->offset = 0;
}

/* The unknown offset, below all known offsets. */
#define ADRIFT (INT64_MIN / 2)

void model_arrived(const char *path) {
  posix_record(path);
  state_of(path)->offset = ADRIFT;
}

void model_close(const char *path) {
  restart(path);
  expect_positive(path, "POSIX_F_CLOSE_START_TIMESTAMP");
  expect_positive(path, "POSIX_F_CLOSE_END_TIMESTAMP");
}

void model_dup(const char *path) {
  expect(path, "POSIX_DUPS", 1);
  expect(path, "POSIX_OPENS", 1);
}

void model_fileno(const char *path) {
  posix_record(path);
  expect(path, "POSIX_FILENOS", 1);
  expect(path, "POSIX_OPENS", 1);
}

void model_stat(const char *path) {
  posix_record(path);
  expect(path, "POSIX_STATS", 1);
}

void model_seek(const char *path, long offset) {
  expect(path, "POSIX_SEEKS", 1);
  state_of(path)->offset = offset;
}

/* Counts a value, and sets the expected counters of the four most common values: by descending
 * count, then by descending value. names: the counters of the four values, then those of their
 * counts. */
static void watch(const char *path, struct watched *table, const char *const names[8], long value) {
  int i = 0;
  while (i < WATCHED && table[i].count && table[i].value != value)
    i++;
  if (i == WATCHED) return;
  table[i].value = value, table[i].count++;
  struct watched sorted[WATCHED];
  int n = 0;
  for (int k = 0; k < WATCHED && table[k].count; k++) {
    if (!table[k].value) continue; /* uses a slot but is never listed */
    int at = n++;
    while (at > 0 &&
           (sorted[at - 1].count < table[k].count ||
            (sorted[at - 1].count == table[k].count && sorted[at - 1].value < table[k].value))) {
      sorted[at] = sorted[at - 1];
      at--;
    }
    sorted[at] = table[k];
  }
  for (int k = 0; k < 4 && k < n; k++) {
    expect_value(path, names[k], sorted[k].value);
    expect_value(path, names[4 + k], sorted[k].count);
  }
}

static void count_size(const char *path, int kind, long n) {
  static const struct {
    long up_to;
    const char *name[2];
  } bins[] = {
#define BIN(up_to, suffix)                                                                         \
  {                                                                                                \
    up_to, {                                                                                       \
      "POSIX_SIZE_READ_" suffix, "POSIX_SIZE_WRITE_" suffix                                        \
    }                                                                                              \
  }
      BIN(100, "0_100"),           BIN(1L << 10, "100_1K"),     BIN(10L << 10, "1K_10K"),
      BIN(100L << 10, "10K_100K"), BIN(1L << 20, "100K_1M"),    BIN(4L << 20, "1M_4M"),
      BIN(10L << 20, "4M_10M"),    BIN(100L << 20, "10M_100M"), BIN(1L << 30, "100M_1G"),
      BIN(INT64_MAX, "1G_PLUS"),
#undef BIN
  };
  int bin = 0;
  while (n > bins[bin].up_to)
    bin++;
  expect(path, bins[bin].name[kind], 1);
}

static void count_place(const char *path, struct state *state, int kind, long offset, long n) {
  static const char *const seq[2] = {"POSIX_SEQ_READS", "POSIX_SEQ_WRITES"};
  static const char *const consec[2] = {"POSIX_CONSEC_READS", "POSIX_CONSEC_WRITES"};
  static const char *const highest[2] = {"POSIX_MAX_BYTE_READ", "POSIX_MAX_BYTE_WRITTEN"};
  static const char *const strides[8] = {"POSIX_STRIDE1_STRIDE", "POSIX_STRIDE2_STRIDE",
                                         "POSIX_STRIDE3_STRIDE", "POSIX_STRIDE4_STRIDE",
                                         "POSIX_STRIDE1_COUNT",  "POSIX_STRIDE2_COUNT",
                                         "POSIX_STRIDE3_COUNT",  "POSIX_STRIDE4_COUNT"};
  if (offset >= 0 && state->last_byte[kind] < -1) state->last_byte[kind] = 0;
  long last = state->last_byte[kind];
  if (offset > last) expect(path, seq[kind], 1);
  if (offset == last + 1) expect(path, consec[kind], 1);
  watch(path, state->stride, strides, offset > last && last != 0 ? offset - last - 1 : 0);
  if (offset + n - 1 > row_value(path, highest[kind])) {
    expect_value(path, highest[kind], offset + n - 1);
  }
  state->last_byte[kind] = offset + n - 1;
  if (state->offset >= 0 || offset < 0) state->offset = offset + n;
}

static void transfer(const char *path, int kind, long offset, long n, const void *address) {
  static const char *const operations[2] = {"POSIX_READS", "POSIX_WRITES"};
  static const char *const bytes[2] = {"POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN"};
  static const char *const slowest[2] = {"POSIX_MAX_READ_TIME_SIZE", "POSIX_MAX_WRITE_TIME_SIZE"};
  static const char *const accesses[8] = {"POSIX_ACCESS1_ACCESS", "POSIX_ACCESS2_ACCESS",
                                          "POSIX_ACCESS3_ACCESS", "POSIX_ACCESS4_ACCESS",
                                          "POSIX_ACCESS1_COUNT",  "POSIX_ACCESS2_COUNT",
                                          "POSIX_ACCESS3_COUNT",  "POSIX_ACCESS4_COUNT"};
  static const char *const unplaced[2] = {"POSIX_EXT_UNPLACED_READ", "POSIX_EXT_UNPLACED_WRITTEN"};
  struct state *state = state_of(path);
  CHECK(n >= 0);
  expect(path, operations[kind], 1);
  expect(path, bytes[kind], n);
  if ((uintptr_t)address % 8) expect(path, "POSIX_MEM_NOT_ALIGNED", 1);
  if (offset >= 0 && offset % file_alignment()) expect(path, "POSIX_FILE_NOT_ALIGNED", 1);
  if (state->last_kind == !kind) expect(path, "POSIX_RW_SWITCHES", 1);
  state->last_kind = kind;
  if (offset < 0) model_ext(path, unplaced[kind], n);
  count_size(path, kind, n);
  count_place(path, state, kind, offset, n);
  watch(path, state->access, accesses, n);
  /* The slowest of several transfers cannot be computed. */
  if (++state->transfers[kind] == 1)
    expect_value(path, slowest[kind], n);
  else
    expect_any(path, slowest[kind]);
}

void model_read(const char *path, long n, const void *address) {
  transfer(path, READ, state_of(path)->offset, n, address);
}
void model_write(const char *path, long n, const void *address) {
  transfer(path, WRITE, state_of(path)->offset, n, address);
}
void model_pread(const char *path, long offset, long n, const void *address) {
  transfer(path, READ, offset, n, address);
}
void model_pwrite(const char *path, long offset, long n, const void *address) {
  transfer(path, WRITE, offset, n, address);
}

void model_ext(const char *path, const char *counter, long n) {
  expect(expects_record("POSIX", path) ? path : OTHER_PATHS, counter, n);
}

void model_holes(const char *path) {
  struct stat known;
  if (SYS4(SYS_newfstatat, AT_FDCWD, path, &known, 0) != 0) abort();
  expect_value(path, "POSIX_EXT_SPARSE_SIZE", known.st_size);
  expect_value(path, "POSIX_EXT_SPARSE_ALLOCATED", known.st_blocks * 512);
}

void model_miss(const char *path) {
  model_ext(path, "POSIX_EXT_MISSES", 1);
}

void model_rename(const char *from, const char *to) {
  if (!expects_record("POSIX", from)) {
    model_ext(from, "POSIX_EXT_RENAMES", 1);
    return;
  }
  posix_record(to);
  expect(from, "POSIX_RENAME_SOURCES", 1);
  expect(to, "POSIX_RENAME_TARGETS", 1);
  if (row_value(to, "POSIX_RENAME_TARGETS") == 1) expect_id_of(to, "POSIX_RENAMED_FROM", from);
}
