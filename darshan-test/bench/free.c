/* A library whose functions return success at once, without a call of the kernel. It is preloaded
 * after the runtime, so the remaining time of a call is the runtime's, without the noise of the
 * kernel. */
#include <stddef.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

enum { UNKNOWN = 999, FIRST = 100 };

/* Returns a descriptor without a call of the kernel. Every thread always gets the same one, which
 * no other thread has. */
EXPORT int open(const char *path, int flags, ...);
EXPORT int open(const char *path, int flags, ...) {
  static int last = FIRST;
  static _Thread_local int mine;
  (void)path, (void)flags;
  if (!mine) mine = __atomic_fetch_add(&last, 1, __ATOMIC_RELAXED);
  return mine;
}

EXPORT int close(int fd);
EXPORT int close(int fd) {
  (void)fd;
  return 0;
}

EXPORT ssize_t pread(int fd, void *buffer, size_t n, off_t at);
EXPORT ssize_t pread(int fd, void *buffer, size_t n, off_t at) {
  (void)buffer, (void)at;
  return fd == UNKNOWN ? -1 : (ssize_t)n;
}

EXPORT ssize_t pwrite(int fd, const void *buffer, size_t n, off_t at);
EXPORT ssize_t pwrite(int fd, const void *buffer, size_t n, off_t at) {
  (void)fd, (void)buffer, (void)at;
  return (ssize_t)n;
}

EXPORT off_t lseek(int fd, off_t at, int whence);
EXPORT off_t lseek(int fd, off_t at, int whence) {
  (void)fd, (void)whence;
  return at;
}
