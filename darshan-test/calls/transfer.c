/* Cases for read, write, pread, pwrite, dprintf and their fortified and old forms. */
#include "calls.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

OPTIONAL_SYMBOL extern ssize_t __read(int, void *, size_t);
OPTIONAL_SYMBOL extern ssize_t __write(int, const void *, size_t);
OPTIONAL_SYMBOL extern ssize_t __pread64(int, void *, size_t, off_t);
OPTIONAL_SYMBOL extern ssize_t __pwrite64(int, const void *, size_t, off_t);
OPTIONAL_SYMBOL extern ssize_t __read_chk(int, void *, size_t, size_t);
OPTIONAL_SYMBOL extern ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
OPTIONAL_SYMBOL extern ssize_t __pread64_chk(int, void *, size_t, off_t, size_t);

/* Reads through a file by position: consecutive, after a gap, unaligned, at the end of the file,
 * and on a bad descriptor. */
#define READ_CASE(name, call)                                                                      \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    static const long sizes[] = {100, 200, 8192, 1001, 0};                                         \
    int fd = open_file(path, 9493);                                                                \
    for (int i = 0; i < 5; i++) {                                                                  \
      char *data = buffer + 4096 + (i == 3);                                                       \
      size_t room = i < 4 ? (size_t)sizes[i] : 500;                                                \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_read(path, sizes[i], data);                                                            \
    }                                                                                              \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    CHECK(C(close(fd)) == 0);                                                                      \
    model_close(path);                                                                             \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
    fd = -1;                                                                                       \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }

READ_CASE(read, read(fd, data, room))
READ_CASE(__read, __read(fd, data, room))
READ_CASE(__read_chk, __read_chk(fd, data, room, BUFFER_SIZE - 5000))

#define WRITE_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    static const long sizes[] = {1, 200, 0, 16384, 1025};                                          \
    int fd = open_file(path, 0);                                                                   \
    for (int i = 0; i < 5; i++) {                                                                  \
      char *data = buffer + 4096 + (i == 3 ? 3 : 0);                                               \
      size_t room = (size_t)sizes[i];                                                              \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_write(path, sizes[i], data);                                                           \
    }                                                                                              \
    CHECK(raw_size(path) == 17610);                                                                \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    CHECK(C(close(fd)) == 0);                                                                      \
    model_close(path);                                                                             \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
    int read_only = C(open(path, O_RDONLY));                                                       \
    CHECK(read_only >= 0);                                                                         \
    model_open(path, 0);                                                                           \
    fd = read_only;                                                                                \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }

WRITE_CASE(write, write(fd, data, room))
WRITE_CASE(__write, __write(fd, data, room))

/* Reads at offsets in order, after a gap, backwards, at and beyond the end, and negative. */
#define PREAD_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    static const long offsets[] = {0, 100, 4096, 10, 19990, 30000};                                \
    static const long sizes[] = {100, 300, 4096, 50, 10, 0};                                       \
    int fd = open_file(path, 20000);                                                               \
    for (int i = 0; i < 6; i++) {                                                                  \
      off_t at = offsets[i];                                                                       \
      char *data = buffer + 4096 * (i + 1) + (i == 4);                                             \
      size_t room = i < 4 ? (size_t)sizes[i] : 50;                                                 \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_pread(path, at, sizes[i], data);                                                       \
    }                                                                                              \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    off_t at = -5;                                                                                 \
    CHECK(C(call) == -1);                                                                          \
    CHECK(C(close(fd)) == 0);                                                                      \
    model_close(path);                                                                             \
    at = 0;                                                                                        \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }

PREAD_CASE(pread, pread(fd, data, room, at))
PREAD_CASE(pread64, pread64(fd, data, room, at))
PREAD_CASE(__pread64, __pread64(fd, data, room, at))
PREAD_CASE(__pread_chk, __pread_chk(fd, data, room, at, BUFFER_SIZE - 40960))
PREAD_CASE(__pread64_chk, __pread64_chk(fd, data, room, at, BUFFER_SIZE - 40960))

#define PWRITE_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    static const long offsets[] = {0, 100, 4096, 10, 1000000, 8192};                               \
    static const long sizes[] = {100, 300, 4096, 50, 1, 0};                                        \
    int fd = open_file(path, 0);                                                                   \
    for (int i = 0; i < 6; i++) {                                                                  \
      off_t at = offsets[i];                                                                       \
      char *data = buffer + 4096 * (i + 1) + (i == 4);                                             \
      size_t room = (size_t)sizes[i];                                                              \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_pwrite(path, at, sizes[i], data);                                                      \
    }                                                                                              \
    CHECK(raw_size(path) == 1000001);                                                              \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    off_t at = -5;                                                                                 \
    CHECK(C(call) == -1);                                                                          \
    CHECK(C(close(fd)) == 0);                                                                      \
    model_close(path);                                                                             \
    at = 0;                                                                                        \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }

PWRITE_CASE(pwrite, pwrite(fd, data, room, at))
PWRITE_CASE(pwrite64, pwrite64(fd, data, room, at))
PWRITE_CASE(__pwrite64, __pwrite64(fd, data, room, at))

/* Formatted output to a descriptor uses libc's buffer, whose alignment is unspecified. */
OPTIONAL_SYMBOL extern int __dprintf_chk(int, int, const char *, ...);
OPTIONAL_SYMBOL extern int __vdprintf_chk(int, int, const char *, va_list);

static int call_v(int (*function)(int, const char *, va_list), int fd, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = function(fd, format, args);
  va_end(args);
  return n;
}

static int vdprintf_chk_1(int fd, const char *format, va_list args) {
  return __vdprintf_chk(fd, 1, format, args);
}

#define DPRINTF_CASE(name, call)                                                                   \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 0);                                                                   \
    for (int i = 0; i < 3; i++) {                                                                  \
      CHECK(C(call) == 10);                                                                        \
      model_write(path, 10, NULL);                                                                 \
    }                                                                                              \
    CHECK(raw_size(path) == 30);                                                                   \
    fd = -1;                                                                                       \
    int i = 0;                                                                                     \
    CHECK(C(call) == -1);                                                                          \
  }
DPRINTF_CASE(dprintf, dprintf(fd, "%d %s\n", i, "letters"))
DPRINTF_CASE(vdprintf, call_v(vdprintf, fd, "%d %s\n", i, "letters"))
DPRINTF_CASE(__dprintf_chk, __dprintf_chk(fd, 1, "%d %s\n", i, "letters"))
DPRINTF_CASE(__vdprintf_chk, call_v(vdprintf_chk_1, fd, "%d %s\n", i, "letters"))
