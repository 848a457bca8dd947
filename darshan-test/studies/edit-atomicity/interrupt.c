/* A preloaded library that kills the process at its n-th call that changes files. INTERRUPT_AT=n:
 * before that call; with INTERRUPT_HALF, after half of it if it is a write.
 *
 * INTERRUPT_TRACE=path: writes a line for every such call, with fields between tabs and the bytes
 * of a write in hexadecimal. From this a test computes the files after a loss of power. */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *trace;
static long at, calls;
static int half;

__attribute__((constructor)) static void start(void) {
  const char *number = getenv("INTERRUPT_AT"), *path = getenv("INTERRUPT_TRACE");
  at = number ? atol(number) : 0;
  half = getenv("INTERRUPT_HALF") != NULL;
  trace = path ? fopen(path, "w") : NULL;
}

/* Counts a call that changes files. Returns 1 if it is call number INTERRUPT_AT, otherwise 0. */
static int is_last(void) {
  return ++calls == at;
}

static void die(void) {
  kill(getpid(), SIGKILL);
}

/* Writes a line to the trace, if there is one. */
__attribute__((format(printf, 1, 2))) static void note(const char *format, ...) {
  va_list arguments;
  if (!trace) return;
  va_start(arguments, format);
  vfprintf(trace, format, arguments);
  va_end(arguments);
  fflush(trace);
}

/* Returns the inode of an open file; 0 on failure. */
static unsigned long inode(int fd) {
  struct stat status;
  return fstat(fd, &status) ? 0 : status.st_ino;
}

static void note_write(int fd, const unsigned char *bytes, size_t size, off_t offset) {
  if (!trace) return;
  note("write\t%lu\t%lld\t", inode(fd), (long long)offset);
  for (size_t i = 0; i < size; i++)
    fprintf(trace, "%02x", bytes[i]);
  note("\n");
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define PWRITE(name, offset_type)                                                                  \
  ssize_t name(int fd, const void *bytes, size_t size, offset_type offset) {                       \
    if (is_last()) {                                                                               \
      if (half) REAL(name)(fd, bytes, size / 2, offset);                                           \
      die();                                                                                       \
    }                                                                                              \
    note_write(fd, bytes, size, offset);                                                           \
    return REAL(name)(fd, bytes, size, offset);                                                    \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_type)                                                                \
  int name(int fd, offset_type size) {                                                             \
    if (is_last()) die();                                                                          \
    note("truncate\t%lu\t%lld\n", inode(fd), (long long)size);                                     \
    return REAL(name)(fd, size);                                                                   \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                                                                 \
  int name(int fd) {                                                                               \
    if (is_last()) die();                                                                          \
    int status = REAL(name)(fd);                                                                   \
    note("sync\t%lu\n", inode(fd));                                                                \
    return status;                                                                                 \
  }
SYNC(fsync)
SYNC(fdatasync)

int rename(const char *from, const char *to) {
  if (is_last()) die();
  int status = REAL(rename)(from, to);
  if (!status) note("rename\t%s\t%s\n", from, to);
  return status;
}

int unlink(const char *path) {
  if (is_last()) die();
  int status = REAL(unlink)(path);
  if (!status) note("unlink\t%s\n", path);
  return status;
}

#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;                                 \
    va_end(arguments);                                                                             \
    if (flags & (O_CREAT | O_TRUNC) && is_last()) die();                                           \
    int fd = REAL(name)(path, flags, mode);                                                        \
    if (fd >= 0 && flags & (O_CREAT | O_TRUNC)) note("create\t%lu\t%s\n", inode(fd), path);        \
    return fd;                                                                                     \
  }
OPEN(open)
OPEN(open64)
