/* Cases for readv, writev and their variants with offsets and flags. */
#include "calls.h"

#include <sys/uio.h>

#define HALVES                                                                                     \
  (const struct iovec[2]) {                                                                        \
    {data, room / 2}, {                                                                            \
      data + room / 2, room - room / 2                                                             \
    }                                                                                              \
  }

/* Returns the half of a vector that is not aligned, if there is one: a vector is treated as aligned
 * only if both halves are. */
static const void *worst(const char *data, size_t room) {
  return (uintptr_t)data % 8 ? data : data + room / 2;
}

#define READV_CASE(name, call)                                                                     \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    static const long sizes[] = {160, 1000, 3000, 0};                                              \
    int fd = open_file(path, 4160);                                                                \
    for (int i = 0; i < 4; i++) {                                                                  \
      char *data = buffer + (i == 2 ? 12 : 0);                                                     \
      size_t room = i < 3 ? (size_t)sizes[i] : 16;                                                 \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_read(path, sizes[i], worst(data, room));                                               \
    }                                                                                              \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    fd = -1;                                                                                       \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }
READV_CASE(readv, readv(fd, HALVES, 2))

#define WRITEV_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    static const long sizes[] = {160, 1000, 3000, 0};                                              \
    int fd = open_file(path, 0);                                                                   \
    for (int i = 0; i < 4; i++) {                                                                  \
      char *data = buffer + (i == 2 ? 12 : 0);                                                     \
      size_t room = (size_t)sizes[i];                                                              \
      CHECK(C(call) == sizes[i]);                                                                  \
      model_write(path, sizes[i], worst(data, room));                                              \
    }                                                                                              \
    CHECK(raw_size(path) == 4160);                                                                 \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    fd = -1;                                                                                       \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
  }
WRITEV_CASE(writev, writev(fd, HALVES, 2))

#define PREADV_CASE(name, call)                                                                    \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    static const long offsets[] = {0, 160, 8192, 5};                                               \
    int fd = open_file(path, 20000);                                                               \
    for (int i = 0; i < 4; i++) {                                                                  \
      off_t at = offsets[i];                                                                       \
      char *data = buffer + (i == 1);                                                              \
      size_t room = 160;                                                                           \
      CHECK(C(call) == 160);                                                                       \
      model_pread(path, at, 160, worst(data, room));                                               \
    }                                                                                              \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    off_t at = -5;                                                                                 \
    CHECK(C(call) == -1);                                                                          \
  }
PREADV_CASE(preadv, preadv(fd, HALVES, 2, at))
PREADV_CASE(preadv64, preadv64(fd, HALVES, 2, at))

#define PWRITEV_CASE(name, call)                                                                   \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    static const long offsets[] = {0, 160, 8192, 5};                                               \
    int fd = open_file(path, 0);                                                                   \
    for (int i = 0; i < 4; i++) {                                                                  \
      off_t at = offsets[i];                                                                       \
      char *data = buffer + (i == 1);                                                              \
      size_t room = 160;                                                                           \
      CHECK(C(call) == 160);                                                                       \
      model_pwrite(path, at, 160, worst(data, room));                                              \
    }                                                                                              \
    CHECK(raw_size(path) == 8352);                                                                 \
    char *data = buffer;                                                                           \
    size_t room = 10;                                                                              \
    off_t at = -5;                                                                                 \
    CHECK(C(call) == -1);                                                                          \
  }
PWRITEV_CASE(pwritev, pwritev(fd, HALVES, 2, at))
PWRITEV_CASE(pwritev64, pwritev64(fd, HALVES, 2, at))

/* Offset -1 means the file position. */
#define PREADV2_CASE(name, call)                                                                   \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 20000);                                                               \
    char *data = buffer;                                                                           \
    size_t room = 160;                                                                             \
    off_t at = -1;                                                                                 \
    for (int i = 0; i < 3; i++) {                                                                  \
      CHECK(C(call) == 160);                                                                       \
      model_pread(path, 160 * i, 160, data);                                                       \
    }                                                                                              \
    at = 8192;                                                                                     \
    CHECK(C(call) == 160);                                                                         \
    model_pread(path, at, 160, data);                                                              \
    at = -5;                                                                                       \
    CHECK(C(call) == -1);                                                                          \
  }
PREADV2_CASE(preadv2, preadv2(fd, HALVES, 2, at, 0))
PREADV2_CASE(preadv64v2, preadv64v2(fd, HALVES, 2, at, 0))

#define PWRITEV2_CASE(name, call)                                                                  \
  CASE(name) {                                                                                     \
    const char *path = in_dir("file");                                                             \
    int fd = open_file(path, 0);                                                                   \
    char *data = buffer;                                                                           \
    size_t room = 160;                                                                             \
    off_t at = -1;                                                                                 \
    for (int i = 0; i < 3; i++) {                                                                  \
      CHECK(C(call) == 160);                                                                       \
      model_pwrite(path, 160 * i, 160, data);                                                      \
    }                                                                                              \
    at = 8192;                                                                                     \
    CHECK(C(call) == 160);                                                                         \
    model_pwrite(path, at, 160, data);                                                             \
    at = -5;                                                                                       \
    CHECK(C(call) == -1);                                                                          \
  }
PWRITEV2_CASE(pwritev2, pwritev2(fd, HALVES, 2, at, RWF_DSYNC))
PWRITEV2_CASE(pwritev64v2, pwritev64v2(fd, HALVES, 2, at, 0))
