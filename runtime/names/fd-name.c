#include "fd-name.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../intercept/sys.h"

static const char gone[] = " (deleted)", memfd[] = "/memfd:";

/* What is in the kernel's memory of this file; 0: nothing can be had. */
static int look(int fd, struct statx *known) {
  return SYS5(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_NLINK,
              known) == 0;
}

int fd_is_regular(int fd) {
  struct statx known;
  return look(fd, &known) && S_ISREG(known.stx_mode);
}

/* "/proc/self/fd/N" */
static void link_of(char link[32], int fd) {
  static const char folder[] = "/proc/self/fd/";
  char digits[12];
  size_t n = 0, at = sizeof(folder) - 1;
  unsigned value = (unsigned)fd;
  memcpy(link, folder, at);
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  while (n)
    link[at++] = digits[--n];
  link[at] = '\0';
}

/* The mark of a deleted file may be the end of a true name: a file that has no
 * name left has no links, and one of several may still be there to be asked. */
static int is_gone(const char *name, int fd) {
  struct statx known;
  if (look(fd, &known) && known.stx_nlink == 0) return 1;
  return sys_faccess(name, F_OK) != 0;
}

size_t fd_name(char *out, size_t room, int fd) {
  char link[32];
  link_of(link, fd);
  ssize_t got = sys_readlink(link, out, room);
  if (got <= 0 || (size_t)got >= room || out[0] != '/') return 0; /* "pipe:[1]" */
  size_t length = (size_t)got;
  out[length] = '\0';
  if (length <= sizeof(gone) || strcmp(out + length - (sizeof(gone) - 1), gone) != 0) return length;
  if (!is_gone(out, fd)) return length;
  length -= sizeof(gone) - 1;
  if (strncmp(out, memfd, sizeof(memfd) - 1) == 0) {
    out[0] = '<';
    out[length++] = '>';
  }
  out[length] = '\0';
  return length;
}
