/* Resource usage that the kernel has accounted to this process. Read when the log is written. */
#ifndef DARSHAN_USAGE_H
#define DARSHAN_USAGE_H

#include <stdint.h>
#include <sys/types.h>

/* Bytes of reads and writes of files that are not recorded. */
struct usage_excluded {
  int64_t read, written;
};
extern struct usage_excluded usage_excluded __attribute__((visibility("hidden")));

static inline ssize_t usage_excluded_read(ssize_t n) {
  if (n > 0) __atomic_fetch_add(&usage_excluded.read, n, __ATOMIC_RELAXED);
  return n;
}
static inline ssize_t usage_excluded_written(ssize_t n) {
  if (n > 0) __atomic_fetch_add(&usage_excluded.written, n, __ATOMIC_RELAXED);
  return n;
}

/* Reads the file schedstat of a process or thread: the nanoseconds in which it ran, and the
 * nanoseconds in which it was ready to run but had no processor. Returns 0; -1 if the file cannot
 * be read. */
int usage_read_schedstat(const char *path, int64_t *ran, int64_t *ready);

#endif
