/* Renames a finished file without replacing another one. */
#ifndef DARSHAN_NEW_NAME_H
#define DARSHAN_NEW_NAME_H

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Renames `from` to `to`, but never replaces a file. Returns 0, or -1 with errno (EEXIST: `to`
 * exists). If the file system or kernel lacks this kind of rename, creates a hard link `to` and
 * removes `from`. Calls the kernel by the system call number, because not every C library has
 * renameat2. */
static inline int rename_to_new(const char *from, const char *to) {
  enum { DO_NOT_REPLACE = 1 };
  if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, DO_NOT_REPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  if (link(from, to) < 0) return -1;
  unlink(from);
  return 0;
}

#endif
