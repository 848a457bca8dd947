/* Cases for open, openat, creat, mkstemp and their variants. */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

OPTIONAL_SYMBOL extern int __open(const char *, int, ...);
OPTIONAL_SYMBOL extern int __open64(const char *, int, ...);
OPTIONAL_SYMBOL extern int __open_2(const char *, int);
OPTIONAL_SYMBOL extern int __open64_2(const char *, int);
OPTIONAL_SYMBOL extern int __openat_2(int, const char *, int);
OPTIONAL_SYMBOL extern int __openat64_2(int, const char *, int);

/* Reports an open to the model. The first write, which follows, shows that the runtime knows the
 * new descriptor. */
static void opened(const char *path, int fd, unsigned mode) {
  CHECK(fd >= 0);
  model_open(path, mode);
  long n = C(write(fd, buffer, 100));
  model_write(path, n, buffer);
  CHECK(C(close(fd)) == 0);
  model_close(path);
}

static unsigned mode_of(const char *path) {
  struct stat st;
  CHECK(SYS4(SYS_newfstatat, AT_FDCWD, path, &st, 0) == 0);
  return st.st_mode & 07777;
}

/* call opens path, and creates it with this mode; mode 0: the file exists before. */
#define OPEN_CASE(name, mode, call)                                                                \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("file");                                                             \
    if (!(mode)) raw_file(path, 10);                                                               \
    opened(path, C(call), mode);                                                                   \
    if (mode) CHECK(mode_of(path) == (mode));                                                      \
    path = in_dir("no-folder/file");                                                               \
    CHECK(C(call) == -1 && errno == ENOENT);                                                       \
    model_miss(path);                                                                              \
  }

OPEN_CASE(open, 0640, open(path, O_CREAT | O_RDWR, 0640))
OPEN_CASE(open64, 0604, open64(path, O_CREAT | O_WRONLY | O_TRUNC, 0604))
OPEN_CASE(__open, 0600, __open(path, O_CREAT | O_RDWR, 0600))
OPEN_CASE(__open64, 0600, __open64(path, O_CREAT | O_RDWR, 0600))
OPEN_CASE(__open_2, 0, __open_2(path, O_RDWR))
OPEN_CASE(__open64_2, 0, __open64_2(path, O_RDWR))
OPEN_CASE(creat, 0640, creat(path, 0640))
OPEN_CASE(creat64, 0600, creat64(path, 0600))

/* Opens a path relative to the working folder, one relative to an open folder, and an absolute
 * one. */
#define OPENAT_CASE(name, mode, call)                                                              \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    static const char *const names[3] = {"one", "two", "three"};                                   \
    int dir = C(open(test_dir, O_RDONLY | O_DIRECTORY));                                           \
    CHECK(dir >= 0);                                                                               \
    model_open(test_dir, 0);                                                                       \
    int dirs[3] = {AT_FDCWD, dir, -1};                                                             \
    for (int i = 0; i < 3; i++) {                                                                  \
      int at = dirs[i];                                                                            \
      const char *path = i < 2 ? names[i] : in_dir(names[i]);                                      \
      if (!(mode)) raw_file(in_dir(names[i]), 10);                                                 \
      opened(in_dir(names[i]), C(call), mode);                                                     \
    }                                                                                              \
    int at = -1;                                                                                   \
    const char *path = "one";                                                                      \
    CHECK(C(call) == -1 && errno == EBADF);                                                        \
    CHECK(C(close(dir)) == 0);                                                                     \
    model_close(test_dir);                                                                         \
  }

OPENAT_CASE(openat, 0640, openat(at, path, O_CREAT | O_RDWR, 0640))
OPENAT_CASE(openat64, 0600, openat64(at, path, O_CREAT | O_RDWR, 0600))
OPENAT_CASE(__openat_2, 0, __openat_2(at, path, O_RDWR))
OPENAT_CASE(__openat64_2, 0, __openat64_2(at, path, O_RDWR))

#define MKSTEMP_CASE(name, suffix, call)                                                           \
  CASE(name) {                                                                                     \
    char template[512];                                                                            \
    strcpy(template, in_dir("temporary-XXXXXX" suffix));                                           \
    int fd = C(call);                                                                              \
    const char *path = in_dir(strrchr(template, '/') + 1);                                         \
    opened(path, fd, 0);                                                                           \
    expect_any(path, "POSIX_MODE"); /* no argument; libc passes 0600 */                            \
    strcpy(template, in_dir("no-x"));                                                              \
    CHECK(C(call) == -1 && errno == EINVAL);                                                       \
  }

MKSTEMP_CASE(mkstemp, "", mkstemp(template))
MKSTEMP_CASE(mkstemp64, "", mkstemp64(template))
MKSTEMP_CASE(mkostemp, "", mkostemp(template, O_CLOEXEC))
MKSTEMP_CASE(mkostemp64, "", mkostemp64(template, O_APPEND))
MKSTEMP_CASE(mkstemps, ".h5", mkstemps(template, 3))
MKSTEMP_CASE(mkstemps64, ".h5", mkstemps64(template, 3))
MKSTEMP_CASE(mkostemps, ".nc", mkostemps(template, 3, O_CLOEXEC))
MKSTEMP_CASE(mkostemps64, ".nc", mkostemps64(template, 3, O_CLOEXEC))

/* O_TMPFILE has a mode argument like O_CREAT; the file has no name. */
SCENARIO(unnamed_file) {
  int fd = C(open(test_dir, O_TMPFILE | O_RDWR, 0640));
  if (fd == -1) skip("this file system has no O_TMPFILE");
  struct stat st;
  CHECK(SYS2(SYS_fstat, fd, &st) == 0);
  CHECK((st.st_mode & 07777) == 0640);
  char name[40];
  snprintf(name, sizeof(name), "#%lu", (unsigned long)st.st_ino); /* the kernel's name for it */
  model_open(in_dir(name), 0640);
  expect_nothing_about(test_dir);
}

/* Opens a file, and closes it by a call that the runtime does not see. Returns the descriptor
 * number, which the next open gets. */
static int stale_descriptor(const char *path) {
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  sys_close(fd); /* unseen, as by an inlined system call */
  return fd;
}

CASE(memfd_create) {
  int old = stale_descriptor(in_dir("file"));
  int fd = C(memfd_create("anonymous", 0));
  CHECK(fd == old);
  CHECK(C(write(fd, buffer, 700)) == 700);
  expect_nothing_about("<memfd:anonymous>");
}

OPTIONAL_SYMBOL extern int open_by_handle_at(int, struct file_handle *, int);
OPTIONAL_SYMBOL extern int name_to_handle_at(int, const char *, struct file_handle *, int *, int);

CASE(open_by_handle_at) {
  union {
    struct file_handle head;
    char room[sizeof(struct file_handle) + 128];
  } handle;
  int mount = 0;
  const char *path = in_dir("file");
  raw_file(path, 10);
  handle.head.handle_bytes = 128;
  if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) != 0) {
    skip("this file system has no file handles");
  }
  int dir = raw_open(test_dir, O_RDONLY | O_DIRECTORY);
  int fd = C(open_by_handle_at(dir, &handle.head, O_RDWR));
  permitted(fd);
  opened(path, fd, 0);
}
