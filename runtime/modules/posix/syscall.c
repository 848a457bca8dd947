/* syscall(2): the same events as through the functions of libc, for runtimes
 * that call the kernel by number (libuv closes every descriptor like this). */
#include "posix.h"

#include <limits.h>
#include <sys/syscall.h>

static int64_t place(long offset_pointer, long result) {
  return offset_pointer ? *(const int64_t *)offset_pointer - result : POSIX_HERE;
}

static void on_fd(struct posix_file *file, long number, long b, long d, long result, uint64_t t1,
                  uint64_t t2) {
  const void *memory = (const void *)b;
  switch (number) {
  case SYS_read:
    posix_transferred(file, POSIX_READ, result, POSIX_HERE, memory, t1, t2);
    break;
  case SYS_write:
    posix_transferred(file, POSIX_WRITE, result, POSIX_HERE, memory, t1, t2);
    break;
  case SYS_pread64:
    posix_transferred(file, POSIX_READ, result, d, memory, t1, t2);
    break;
  case SYS_pwrite64:
    posix_transferred(file, POSIX_WRITE, result, d, memory, t1, t2);
    break;
  case SYS_lseek:
    posix_seeked(file, result, t1, t2);
    break;
  case SYS_fsync:
    if (result == 0) posix_synced(file, POSIX_FSYNCS, t1, t2);
    break;
  case SYS_fdatasync:
    if (result == 0) posix_synced(file, POSIX_FDSYNCS, t1, t2);
    break;
  case SYS_ftruncate:
    if (result == 0) posix_ext(file, POSIX_EXT_TRUNCATES, 1, POSIX_EXT_F_META_TIME, t1, t2);
    break;
  }
}

static void vector(struct posix_file *file, long number, long b, long c, long d, long result,
                   uint64_t t1, uint64_t t2) {
  int writes = number == SYS_writev || number == SYS_pwritev;
  int here = number == SYS_readv || number == SYS_writev;
  posix_vector(file, writes ? POSIX_WRITE : POSIX_READ, result, here ? POSIX_HERE : d,
               (const struct iovec *)b, (int)c, t1, t2);
}

static int mode_of(const void *status, long result) {
  return result == 0 ? (int)((const struct stat *)status)->st_mode : 0;
}

void posix_syscall(long number, long a, long b, long c, long d, long e, long result, uint64_t t1,
                   uint64_t t2) {
  int fd = (int)a;
  struct posix_file *file = posix_file_of(fd);
  switch (number) {
  case SYS_openat:
    posix_opened((int)result, fd, (const char *)b, (int)c, (mode_t)d, t1, t2);
    break;
#ifdef SYS_open
  case SYS_open:
    posix_opened((int)result, AT_FDCWD, (const char *)a, (int)b, (mode_t)c, t1, t2);
    break;
#endif
  case SYS_close:
    if (result == 0) posix_closed(fd_release(fd), 0, t1, t2);
    break;
#ifdef SYS_close_range
  case SYS_close_range:
    if (result == 0 && c == 0) posix_range_closed((unsigned)a, (unsigned)b, t1, t2);
    break;
#endif
  case SYS_statx:
    posix_stated((int)result, fd, (const char *)b,
                 result == 0 ? ((const struct statx *)e)->stx_mode : 0, t1, t2);
    break;
  case SYS_newfstatat:
    posix_stated((int)result, fd, (const char *)b, (mode_t)mode_of((void *)c, result), t1, t2);
    break;
  case SYS_copy_file_range:
    posix_copied(file, posix_file_of((int)c), result, place(b, result), place(d, result),
                 POSIX_EXT_COPY_RANGES, t1, t2);
    break;
  case SYS_sendfile:
    posix_copied(posix_file_of((int)b), file, result, place(c, result), POSIX_HERE,
                 POSIX_EXT_SENDFILES, t1, t2);
    break;
  case SYS_dup:
    posix_duplicated(file, (int)result, t1, t2);
    break;
  case SYS_readv:
  case SYS_writev:
  case SYS_preadv:
  case SYS_pwritev:
    if (file) vector(file, number, b, c, d, result, t1, t2);
    break;
  default:
    if (file) on_fd(file, number, b, d, result, t1, t2);
  }
}
