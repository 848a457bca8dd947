/* A library to preload after the runtime: every write by an offset waits MESH_WRITE_US
 * microseconds, as on the server of a parallel file system. */
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static useconds_t delay;

__attribute__((constructor)) static void read_delay(void) {
  const char *text = getenv("MESH_WRITE_US");
  delay = text ? (useconds_t)strtoul(text, NULL, 10) : 0;
}

static ssize_t write_late(int fd, const void *bytes, size_t size, off64_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off64_t);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
  usleep(delay);
  return real(fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset) {
  return write_late(fd, bytes, size, offset);
}

/* Waits, then calls the next pwrite64 after this library, by a pointer from dlsym. A call by name
 * would be the runtime's wrapper, which would count the write again. */
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
  return write_late(fd, bytes, size, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  static ssize_t (*real)(int, const struct iovec *, int, off_t);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwritev");
  usleep(delay);
  return real(fd, parts, count, offset);
}
