/* Opens the folders of logs and journals before the meaning of paths changes, and resolves paths
 * below them (after-chroot.h). */
#include "after-chroot.h"

#include <string.h>

#include "../intercept/sys/sys.h"
#include "in-place.h"

enum {
  FOLDERS = 3,
  PATH_ROOM = 4096,
  TABLE = 1024, /* bound of descriptors, because the kernel copies the table of descriptors at every
                   fork */
  OUT_OF_THE_WAY = 64 /* a descriptor is this far below the limit of descriptors */
};

struct held {
  struct outside_folder of;
  int fd; /* -1: not open */
  dev_t dev;
  ino_t ino;
};

static struct held folders[FOLDERS];
static int holding, active;
static struct stat root; /* root directory before the call that may change it */

/* Returns 1 if the descriptor is open and still is the folder, otherwise 0. The application may
 * have reused its number. */
static int is_there(const struct held *folder) {
  struct stat st;
  return folder->fd >= 0 && SYS2(SYS_fstat, folder->fd, &st) == 0 && st.st_dev == folder->dev &&
         st.st_ino == folder->ino;
}

static int high_number(int fd) {
  enum { DESCRIPTORS = 7 /* RLIMIT_NOFILE */ };
  uint64_t limit[2] = {0, 0};
  SYS4(SYS_prlimit64, 0, DESCRIPTORS, NULL, limit);
  if (limit[0] > TABLE) limit[0] = TABLE;
  if (limit[0] <= 2 * OUT_OF_THE_WAY) return fd;
  int high = (int)SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, limit[0] - OUT_OF_THE_WAY);
  if (high < 0) return fd;
  sys_close(fd);
  return high;
}

static void hold(struct held *folder, struct outside_folder of) {
  char name[PATH_ROOM];
  struct stat st;
  *folder = (struct held){of, -1, 0, 0};
  if (of.length == 0 || of.length >= sizeof(name)) return;
  memcpy(name, of.path, of.length);
  name[of.length] = '\0';
  int fd = sys_open(name, O_PATH | O_DIRECTORY, 0);
  if (fd < 0) return;
  fd = high_number(fd);
  if (SYS2(SYS_fstat, fd, &st) == 0) {
    folder->dev = st.st_dev;
    folder->ino = st.st_ino;
    folder->fd = fd;
  } else {
    sys_close(fd);
  }
}

void outside_hold(struct outside_folder log, struct outside_folder journal) {
  static const char memory[] = IN_PLACE_FOLDER;
  if (SYS4(SYS_newfstatat, AT_FDCWD, "/", &root, 0) < 0) root.st_ino = 0;
  hold(&folders[0], log);
  hold(&folders[1], journal);
  hold(&folders[2], (struct outside_folder){memory, sizeof(memory) - 1});
  holding = 1;
}

int outside_is_ready(void) {
  return holding;
}

static void release_all(void) {
  for (int i = 0; i < FOLDERS; i++) {
    if (is_there(&folders[i])) sys_close(folders[i].fd);
    folders[i].fd = -1;
  }
  if (!active) holding = 0; /* if active, the folders are never opened again */
}

static int root_is_the_same(void) {
  struct stat now;
  return SYS4(SYS_newfstatat, AT_FDCWD, "/", &now, 0) == 0 && now.st_dev == root.st_dev &&
         now.st_ino == root.st_ino;
}

void outside_changed(int result) {
  if (result == 0) active = 1;
  if (!active || !root_is_the_same()) release_all();
}

int outside_is_active(void) {
  return active;
}

int outside_is_lost(void) {
  return active && (!is_there(&folders[0]) || !is_there(&folders[1]));
}

/* Returns the descriptor of the folder in which a path begins, and sets *path to the rest of the
 * path. Returns -1, and sets *path to "", if the path is not below an open folder of the runtime.
 * Before the root changes, returns AT_FDCWD and leaves *path as it is. */
static int begin(const char **path) {
  if (!active) return AT_FDCWD;
  for (int i = 0; i < FOLDERS; i++) {
    const struct held *folder = &folders[i];
    if (strncmp(*path, folder->of.path, folder->of.length) != 0 ||
        (*path)[folder->of.length] != '/' || !is_there(folder))
      continue;
    *path += folder->of.length + 1;
    return folder->fd;
  }
  *path = "";
  return -1;
}

int outside_open(const char *path, int flags, unsigned mode) {
  int at = begin(&path);
  return (int)SYS4(SYS_openat, at, path, flags | O_CLOEXEC, mode);
}

int outside_unlink(const char *path) {
  int at = begin(&path);
  return (int)SYS3(SYS_unlinkat, at, path, 0);
}

int outside_rename_new(const char *from, const char *to) {
  enum { NEVER_REPLACE = 1 /* RENAME_NOREPLACE */ };
  int from_at = begin(&from), to_at = begin(&to);
  return (int)SYS5(SYS_renameat2, from_at, from, to_at, to, NEVER_REPLACE);
}

int outside_link(const char *from, const char *to) {
  int from_at = begin(&from), to_at = begin(&to);
  return (int)SYS5(SYS_linkat, from_at, from, to_at, to, 0);
}

int outside_lstat(const char *path, struct stat *st) {
  int at = begin(&path);
  return (int)SYS4(SYS_newfstatat, at, path, st, AT_SYMLINK_NOFOLLOW);
}
