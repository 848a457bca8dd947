/* Scenarios for counters whose values depend on more than one call. */
#include "../calls.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static int new_file(const char *path) {
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  return fd;
}

static void write_some(int fd, const char *path, long n) {
  CHECK(C(write(fd, buffer, (size_t)n)) == n);
  model_write(path, n, buffer);
}

static void read_some(int fd, const char *path, long n) {
  CHECK(C(read(fd, buffer, (size_t)n)) == n);
  model_read(path, n, buffer);
}

/* Transfers of sizes on both sides of every bound of the size classes. The file is one hole, which
 * is read into the same two megabytes repeatedly. */
SCENARIO(size_bins) {
  static const long sizes[] = {0,        1,         100,       101,      1024,
                               1025,     10240,     10241,     102400,   102401,
                               1048576,  1048577,   4194304,   4194305,  10485760,
                               10485761, 104857600, 104857601, 1L << 30, (1L << 30) + 1};
  enum { PIECE = 2 << 20 };
  const char *path = in_dir("file");
  int fd = new_file(path);
  char *room = sys_mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(!sys_failed(room) && SYS2(SYS_ftruncate, fd, 2L << 30) == 0);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct iovec pieces[600];
    int n = 0;
    for (long left = sizes[i]; left > 0; left -= PIECE, n++)
      pieces[n] = (struct iovec){room, (size_t)(left < PIECE ? left : PIECE)};
    CHECK(C(preadv(fd, pieces, n, 0)) == sizes[i]);
    model_pread(path, 0, sizes[i], room);
  }
  model_holes(path);
}

/* Transfers of forty sizes with forty strides. Only the first 32 of a kind are counted. */
SCENARIO(common_values) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  long at = 0;
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < 40; i++) {
      long n = 100 + i;
      CHECK(C(pwrite(fd, buffer, (size_t)n, at)) == n);
      model_pwrite(path, at, n, buffer);
      at += n + (i % 7 == round ? 0 : 1000 + i);
    }
  for (int i = 0; i < 5; i++) { /* one size beyond the first 32, and one of these */
    CHECK(C(pread(fd, buffer, 139, 0)) == 139);
    model_pread(path, 0, 139, buffer);
    CHECK(C(pread(fd, buffer, 103, 0)) == 103);
    model_pread(path, 0, 103, buffer);
  }
}

SCENARIO(read_write_switches) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  write_some(fd, path, 1000);
  write_some(fd, path, 1000);
  CHECK(C(lseek(fd, 0, SEEK_SET)) == 0);
  model_seek(path, 0);
  read_some(fd, path, 500);
  write_some(fd, path, 8);
  read_some(fd, path, 8);
  read_some(fd, path, 8);
}

/* A second open starts at offset 0; earlier operations still count. */
SCENARIO(open_again) {
  const char *path = in_dir("file");
  int fd = new_file(path);
  write_some(fd, path, 1000);
  CHECK(C(close(fd)) == 0);
  model_close(path);
  fd = new_file(path);
  read_some(fd, path, 100);
  read_some(fd, path, 100);
  write_some(fd, path, 100);
}

/* pread, then seek and read. The runtime tracks one offset per file, which pread also moves, so the
 * seek moves it back. */
SCENARIO(offset_after_pread) {
  const char *path = in_dir("file");
  raw_file(path, 20000);
  int fd = new_file(path);
  CHECK(C(pread(fd, buffer, 100, 5000)) == 100);
  model_pread(path, 5000, 100, buffer);
  CHECK(C(lseek(fd, 100, SEEK_SET)) == 100);
  model_seek(path, 100);
  read_some(fd, path, 100);
}

/* Appended bytes begin at the end that the file had when it was opened. */
SCENARIO(append) {
  const char *path = in_dir("file");
  raw_file(path, 1000);
  int fd = C(open(path, O_WRONLY | O_APPEND));
  CHECK(fd >= 0);
  model_open(path, 0);
  write_some(fd, path, 96);
  write_some(fd, path, 96);
  CHECK(raw_size(path) == 1192);
  expect(path, "POSIX_MAX_BYTE_WRITTEN", 1000); /* the model begins at 0 */
  expect_any(path, "POSIX_SEQ_WRITES");
  expect_any(path, "POSIX_CONSEC_WRITES");
  expect_any(path, "POSIX_FILE_NOT_ALIGNED");
  expect_any(path, "POSIX_STRIDE1_STRIDE");
  expect_any(path, "POSIX_STRIDE1_COUNT");
}

/* A relative path, and an absolute one with // and /./, share the record of the normalized path.
 * The name of a link has another record. */
SCENARIO(spellings) {
  const char *path = in_dir("file"), *link = in_dir("link");
  int fd = C(open("file", O_CREAT | O_RDWR, 0644));
  model_open(path, 0644);
  write_some(fd, path, 10);
  char other[600];
  snprintf(other, sizeof other, "%s/.//./file", test_dir);
  fd = C(open(other, O_RDWR));
  CHECK(fd >= 0);
  model_open(path, 0);
  CHECK(SYS3(SYS_symlinkat, "file", AT_FDCWD, link) == 0);
  fd = C(open(link, O_RDWR));
  CHECK(fd >= 0);
  model_open(link, 0);
  write_some(fd, link, 10);
}

/* Names are bytes: spaces, tabs, invalid UTF-8, many bytes. */
SCENARIO(strange_names) {
  static char longest[256];
  static const char *const names[] = {"with a blank", "with\ttab", "\xff\xfe\x80",
                                      "#hash",        "%s%n",      longest};
  __builtin_memset(longest, 'x', 255);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    write_some(new_file(in_dir(names[i])), in_dir(names[i]), 10);
}

/* A stream opened with "a" begins at the end that the file had at the open, and a stream opened
 * with "a+" at offset 0. */
SCENARIO(append_stream) {
  static const char *const modes[] = {"a", "a+"};
  for (int i = 0; i < 2; i++) {
    const char *path = in_dir(modes[i]);
    raw_file(path, 1000);
    FILE *stream = C(fopen(path, modes[i]));
    CHECK(stream != NULL);
    model_fopen(path);
    if (i == 0) model_place(path, 1000);
    CHECK(C(fwrite(buffer, 1, 96, stream)) == 96);
    model_fwrite(path, 96);
    CHECK(C(fprintf(stream, "%d", 12345)) == 5);
    model_fwrite(path, 5);
    CHECK(C(fclose(stream)) == 0);
    CHECK(raw_size(path) == 1101);
  }
}

/* If a file is used by streams and by descriptors, it has a record in each module. */
SCENARIO(both_modules) {
  const char *path = in_dir("file");
  FILE *stream = C(fopen(path, "w+"));
  model_fopen(path);
  CHECK(C(fwrite(buffer, 1, 1000, stream)) == 1000);
  model_fwrite(path, 1000);
  CHECK(C(fflush(stream)) == 0);
  model_fflush(path);
  int fd = C(open(path, O_RDONLY));
  model_open(path, 0);
  read_some(fd, path, 500);
  CHECK(C(fclose(stream)) == 0);
}
