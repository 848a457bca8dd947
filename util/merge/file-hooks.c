/* Defines the runtime's functions on files (after-chroot.h) for darshan-merge. They call the kernel
 * with unchanged paths, because darshan-merge never changes its root directory. Before a file is
 * created or renamed, they call the functions in inside_watch. */
#include "../../runtime/records/after-chroot.h"
#include "target.h"

#include "../../runtime/intercept/sys/sys.h"

int outside_is_active(void) {
  return 0;
}

struct inside_watch inside_watch;

int outside_open(const char *path, int flags, unsigned mode) {
  if ((flags & O_CREAT) && inside_watch.creates) inside_watch.creates(inside_watch.context, path);
  return sys_open(path, flags, mode);
}

int outside_unlink(const char *path) {
  return sys_unlink(path);
}

int outside_rename_new(const char *from, const char *to) {
  if (inside_watch.names) inside_watch.names(inside_watch.context, from, to);
  return sys_rename_new(from, to);
}

int outside_link(const char *from, const char *to) {
  return sys_link(from, to);
}

int outside_lstat(const char *path, struct stat *st) {
  return (int)SYS4(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}
