/* Cases for changes of mode, owner and times, by name and by descriptor. */
#include "calls.h"

#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

/* call uses fd or path, which are of the same file. The last time, there is no file at path and fd
 * is -1, so the call must fail. */
#define SETATTR_CASE(name, call)                                                                   \
  CASE(name) {                                                                                     \
    need(#name);                                                                                   \
    const char *path = in_dir("known");                                                            \
    int fd = C(open(path, O_CREAT | O_RDWR, 0644));                                                \
    CHECK(fd >= 0);                                                                                \
    model_open(path, 0644);                                                                        \
    CHECK(C(call) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_SETATTRS", 1);                                                      \
    CHECK(C(call) == 0);                                                                           \
    model_ext(path, "POSIX_EXT_SETATTRS", 1);                                                      \
    path = in_dir("missing"), fd = -1;                                                             \
    CHECK(C(call) == -1);                                                                          \
    if (errno == ENOENT) model_ext(path, "POSIX_EXT_FAILURES", 1);                                 \
  }

static const struct timeval two_times[2] = {{1000, 0}, {2000, 0}};
static const struct timespec two_stamps[2] = {{1000, 0}, {2000, 0}};

SETATTR_CASE(chmod, chmod(path, 0600))
SETATTR_CASE(fchmod, fchmod(fd, 0600))
SETATTR_CASE(fchmodat, fchmodat(AT_FDCWD, path, 0600, 0))
SETATTR_CASE(chown, chown(path, getuid(), getgid()))
SETATTR_CASE(fchown, fchown(fd, getuid(), getgid()))
SETATTR_CASE(lchown, lchown(path, getuid(), getgid()))
SETATTR_CASE(fchownat, fchownat(AT_FDCWD, path, getuid(), getgid(), 0))
SETATTR_CASE(utime, utime(path, &(struct utimbuf){1000, 2000}))
SETATTR_CASE(utimes, utimes(path, two_times))
SETATTR_CASE(futimes, futimes(fd, two_times))
SETATTR_CASE(lutimes, lutimes(path, two_times))
SETATTR_CASE(futimesat, futimesat(AT_FDCWD, path, two_times))
SETATTR_CASE(utimensat, utimensat(AT_FDCWD, path, two_stamps, 0))
SETATTR_CASE(futimens, futimens(fd, two_stamps))

/* Not every kernel supports this for a regular file, so it is counted only if it succeeds. */
CASE(lchmod) {
  const char *path = in_dir("known");
  int fd = C(open(path, O_CREAT | O_RDWR, 0644));
  CHECK(fd >= 0);
  model_open(path, 0644);
  if (C(lchmod(path, 0600)) == 0) model_ext(path, "POSIX_EXT_SETATTRS", 1);
  CHECK(C(lchmod(in_dir("missing"), 0600)) == -1);
  if (errno == ENOENT) model_ext(in_dir("missing"), "POSIX_EXT_FAILURES", 1);
}
