/* Resource usage that the kernel has accounted to this process. Read when the log is written. */
#ifndef DARSHAN_USAGE_H
#define DARSHAN_USAGE_H

#include <stdint.h>
#include <sys/types.h>

/* Bytes that the process has read from and written to files that are not recorded, because their
 * names are excluded, too long or unknown. */
struct usage_excluded {
  int64_t read, written;
};
extern struct usage_excluded usage_excluded __attribute__((visibility("hidden")));

/* Add the result n of a read or write of a file that is not recorded to usage_excluded (nothing if
 * it is negative), and return n. */
static inline ssize_t usage_excluded_read(ssize_t n) {
  if (n > 0) __atomic_fetch_add(&usage_excluded.read, n, __ATOMIC_RELAXED);
  return n;
}
static inline ssize_t usage_excluded_written(ssize_t n) {
  if (n > 0) __atomic_fetch_add(&usage_excluded.written, n, __ATOMIC_RELAXED);
  return n;
}

/* Reads the file schedstat of a thread in /proc: *ran: the nanoseconds in which it ran, and *ready:
 * the nanoseconds in which it was ready to run but had no processor, both since its start. Returns
 * 0; -1 if the file cannot be read. */
int usage_read_schedstat(const char *path, int64_t *ran, int64_t *ready);

#endif
