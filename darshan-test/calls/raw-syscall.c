/* Cases for syscall(2), whose wrapper counts by the number of the system call. */
#include "calls.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

CASE(syscall) {
  const char *path = in_dir("file"), *copy = in_dir("copy");
  struct statx stx;
  int fd = (int)C(syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_RDWR, 0640));
  CHECK(fd >= 0);
  model_open(path, 0640);
  CHECK(C(syscall(SYS_write, fd, buffer, 1000L)) == 1000);
  model_write(path, 1000, buffer);
  CHECK(C(syscall(SYS_pread64, fd, buffer, 100L, 500L)) == 100);
  model_pread(path, 500, 100, buffer);
  CHECK(C(syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BASIC_STATS, &stx)) == 0);
  model_stat(path);
  CHECK(C(syscall(SYS_flock, fd, LOCK_EX)) == 0);
  model_ext(path, "POSIX_EXT_LOCKS", 1);
  CHECK(C(syscall(SYS_lseek, fd, 0L, SEEK_SET)) == 0);
  model_seek(path, 0);
  int out = C(open(copy, O_CREAT | O_WRONLY, 0600));
  model_open(copy, 0600);
  CHECK(C(syscall(SYS_copy_file_range, fd, NULL, out, NULL, 300L, 0)) == 300);
  model_read(path, 300, NULL);
  model_write(copy, 300, NULL);
  model_ext(path, "POSIX_EXT_COPY_RANGES", 1);
  model_ext(copy, "POSIX_EXT_COPY_RANGES", 1);
  CHECK(C(syscall(SYS_close, fd)) == 0);
  model_close(path);
  /* The descriptor number is free: it now belongs to another file. */
  CHECK(raw_open(in_dir("unseen"), O_CREAT | O_RDWR) == fd);
  write_unseen(fd, in_dir("unseen"));
  CHECK(C(syscall(SYS_close, -1)) == -1 && errno == EBADF);
  CHECK(C(syscall(SYS_getppid)) == sys_getppid());
}
