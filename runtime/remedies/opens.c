/* Replaces the functions that open files, for the remedies advice, next-file, read-ahead and
 * join-writes. Also tells read-ahead which files are opened for writing, because it must not serve
 * their reads from a buffer. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <libc-names.h>
#include <libc-stream.h>

#include "../intercept/guard.h"
#include "../intercept/sys/sys.h"
#include "remedies.h"

/* Returns 1 if the descriptor refers to a file that shows the positions of descriptors
 * (/proc/PID/fdinfo), else 0. */
static int shows_positions(int fd) {
  char name[32], path[64] = "";
  snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
  if (SYS4(SYS_readlinkat, AT_FDCWD, name, path, sizeof(path) - 1) < 0) return 0;
  return strncmp(path, "/proc/", 6) == 0 && strstr(path, "/fdinfo");
}

/* Reports a new descriptor to the remedies if it refers to a regular file that the kernel does not
 * generate. If it shows the positions of descriptors, calls read_ahead_shown. fd: negative: the
 * open failed. flags: those of open. stream: the stream that opened it, or NULL. Returns fd. */
static long told(long fd, long flags, const FILE *stream) {
  struct stat st;
  if (fd < 0 || sys_fstat((int)fd, &st) < 0 || !S_ISREG(st.st_mode)) return fd;
  if (is_kernel_file((int)fd)) {
    if (shows_positions((int)fd)) read_ahead_shown();
    return fd;
  }
  read_ahead_opened((int)fd, (int)flags, &st);
  join_writes_opened((int)fd, (int)flags, &st, stream);
  advice_opened((int)fd, (int)flags);
  next_file_opened((int)fd, (int)flags);
  return fd;
}

/* Reports the descriptor of a stream that fopen or freopen has opened; file: NULL if that failed.
 * Returns file. */
static void *stream_opened(void *file, const char *mode) {
  int is_read = mode && *mode == 'r';
  for (const char *at = mode; is_read && *at && *at != ','; at++)
    if (*at == '+') is_read = 0;
  if (file) told(stream_fd((FILE *)file), is_read ? O_RDONLY : O_RDWR, file);
  return file;
}

enum { none = 0 }; /* flags of functions that have no argument for flags */

#define STREAMS(F) F(fopen) F(fopen64) F(_IO_fopen) F(freopen) F(freopen64)

#define OPENS(name, flags, more)                                                                   \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    long fd = (int)below_##name(a, b, c, d, e, f);                                                 \
    return told(fd, (flags) | (more), NULL);                                                       \
  }
#define INSTEAD_OF_STREAM(name)                                                                    \
  static void *(*below_##name)(const char *, const char *, FILE *);                                \
  static void *instead_of_##name(const char *path, const char *mode, FILE *file) {                 \
    return stream_opened(below_##name(path, mode, file), mode);                                    \
  }
#include "opens.def"
STREAMS(INSTEAD_OF_STREAM)
#undef OPENS
#undef INSTEAD_OF_STREAM

#define ROW(name) {#name, (void *)instead_of_##name, (void **)&below_##name},
const struct replacement open_replacements[] = {
#define OPENS(name, flags, more) ROW(name)
#include "opens.def"
#undef OPENS
    STREAMS(ROW){NULL, NULL, NULL},
};
