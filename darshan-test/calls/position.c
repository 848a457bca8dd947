/* Cases for lseek, truncate, fallocate and advice. */
#include "calls.h"

#include <unistd.h>

OPTIONAL_SYMBOL extern off_t __lseek(int, off_t, int);
OPTIONAL_SYMBOL extern off_t llseek(int, off_t, int);

#define LSEEK_CASE(name)                                                                           \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    CHECK(C(name(fd, 1000, SEEK_SET)) == 1000);                                                    \
    model_seek(path, 1000);                                                                        \
    CHECK(C(read(fd, buffer, 96)) == 96);                                                          \
    model_read(path, 96, buffer);                                                                  \
    CHECK(C(name(fd, 404, SEEK_CUR)) == 1500);                                                     \
    model_seek(path, 1500);                                                                        \
    CHECK(C(name(fd, -4, SEEK_END)) == 19996);                                                     \
    model_seek(path, 19996);                                                                       \
    CHECK(C(read(fd, buffer, 96)) == 4);                                                           \
    model_read(path, 4, buffer);                                                                   \
    CHECK(C(name(fd, -1, SEEK_SET)) == -1 && errno == EINVAL);                                     \
    CHECK(C(name(-1, 0, SEEK_SET)) == -1 && errno == EBADF);                                       \
  }
LSEEK_CASE(lseek)
LSEEK_CASE(lseek64)
LSEEK_CASE(__lseek)
LSEEK_CASE(llseek)

/* A search for holes moves the offset like any other seek. */
SCENARIO(seek_hole) {
  const char *path = in_dir("file");
  int fd = open_file(path, 5000);
  CHECK(C(lseek(fd, 0, SEEK_HOLE)) == 5000);
  model_seek(path, 5000);
  expect_any(path, "POSIX_SEEKS"); /* the rules leave open whether it is a seek */
  CHECK(C(write(fd, buffer, 10)) == 10);
  model_write(path, 10, buffer);
}

/* A file that was read beyond its 16th MiB is looked at once, when it is closed or the process
 * ends. */
static int sparse_file(const char *path) {
  long size = 17 << 20;
  int fd = open_file(path, 10);
  CHECK(C(ftruncate(fd, size)) == 0);
  model_ext(path, "POSIX_EXT_TRUNCATES", 1);
  CHECK(C(pread(fd, buffer, 4096, size - 4096)) == 4096);
  model_pread(path, size - 4096, 4096, buffer);
  model_ext(path, "POSIX_EXT_SPARSE_SIZE", size);
  expect_any(path, "POSIX_EXT_SPARSE_ALLOCATED"); /* depends on the file system */
  return fd;
}

SCENARIO(holes_at_close) {
  const char *path = in_dir("file"), *dense = in_dir("dense");
  int fd = sparse_file(path), other = open_file(dense, 17 << 20);
  CHECK(C(close(fd)) == 0);
  model_close(path);
  CHECK(C(pread(other, buffer, 10, 17 << 20 >> 1)) == 10);
  model_pread(dense, 17 << 20 >> 1, 10, buffer);
  CHECK(C(pread(other, buffer, 10, (17 << 20) - 10)) == 10);
  model_pread(dense, (17 << 20) - 10, 10, buffer);
  CHECK(C(close(other)) == 0); /* is not sparse, so it has no POSIX_EXT record */
  model_close(dense);
}

SCENARIO(holes_at_the_end) {
  sparse_file(in_dir("file"));
}

SCENARIO(holes_of_a_close_by_number) {
  const char *path = in_dir("file");
  int fd = sparse_file(path);
  CHECK(C(syscall(SYS_close, fd)) == 0);
  model_close(path);
}

#define TRUNCATE_CASE(name)                                                                        \
  CASE(name) {                                                                                     \
    const char *known = in_dir("known"), *unknown = in_dir("unknown");                             \
    open_file(known, 10);                                                                          \
    raw_file(unknown, 10);                                                                         \
    CHECK(C(name(known, 5000)) == 0 && raw_size(known) == 5000);                                   \
    model_ext(known, "POSIX_EXT_TRUNCATES", 1);                                                    \
    CHECK(C(name(unknown, 3)) == 0 && raw_size(unknown) == 3);                                     \
    model_ext(unknown, "POSIX_EXT_TRUNCATES", 1);                                                  \
    CHECK(C(name(known, -1)) == -1 && errno == EINVAL);                                            \
  }
TRUNCATE_CASE(truncate)
TRUNCATE_CASE(truncate64)

#define FTRUNCATE_CASE(name)                                                                       \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 10);                                                                  \
    CHECK(C(name(fd, 5000)) == 0 && raw_size(path) == 5000);                                       \
    model_ext(path, "POSIX_EXT_TRUNCATES", 1);                                                     \
    CHECK(C(name(-1, 0)) == -1 && errno == EBADF);                                                 \
  }
FTRUNCATE_CASE(ftruncate)
FTRUNCATE_CASE(ftruncate64)

/* bad: the result of the call on a bad descriptor. */
#define FALLOCATE_CASE(name, call, bad)                                                            \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 10);                                                                  \
    CHECK(C(call) == 0 && raw_size(path) == 105000);                                               \
    model_ext(path, "POSIX_EXT_FALLOCATES", 1);                                                    \
    model_ext(path, "POSIX_EXT_ALLOC_BYTES", 100000);                                              \
    fd = -1;                                                                                       \
    CHECK(C(call) == (bad));                                                                       \
  }
FALLOCATE_CASE(fallocate, fallocate(fd, 0, 5000, 100000), -1)
FALLOCATE_CASE(fallocate64, fallocate64(fd, 0, 5000, 100000), -1)
FALLOCATE_CASE(posix_fallocate, posix_fallocate(fd, 5000, 100000), EBADF)
FALLOCATE_CASE(posix_fallocate64, posix_fallocate64(fd, 5000, 100000), EBADF)
