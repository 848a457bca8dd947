/* Reads facts and paths of descriptors from the kernel. */
#include "descriptors.h"

#include <fcntl.h>
#include <libc-statx.h>
#include <string.h>
#include <unistd.h>

#include "../intercept/sys/sys.h"

static const char gone[] = " (deleted)", memfd[] = "/memfd:";

/* Appends a number to the text; returns the new length. */
static size_t put_number(char *text, size_t length, uint64_t value) {
  char digits[20];
  size_t n = 0;
  do {
    digits[n++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  while (n)
    text[length++] = digits[--n];
  text[length] = '\0';
  return length;
}

enum { LINK_ROOM = 40 };

/* Writes the path in /proc of a descriptor of process pid (0: this process). */
static void put_link(char *link, pid_t pid, int fd) {
  static const char before[] = "/proc/", self[] = "self", below[] = "/fd/";
  size_t length = sizeof(before) - 1;
  memcpy(link, before, length);
  memcpy(link + length, self, sizeof(self));
  length = pid ? put_number(link, length, (unsigned)pid) : length + sizeof(self) - 1;
  memcpy(link + length, below, sizeof(below));
  put_number(link, length + sizeof(below) - 1, (unsigned)fd);
}

/* Stores the facts about an open file. Returns 0 or -errno. path: the descriptor's path in /proc if
 * it is a descriptor of another process, "" if it is one of this process. */
static int look_at(int fd, const char *path, struct fd_facts *facts) {
  struct statx known;
  long result = -9 /* EBADF */;
  for (int try = 0; try < 2;
       try++) { /* a failure is retried once, because the result is used for long */
    result = SYS5(SYS_statx, fd, path, AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
                  STATX_TYPE | STATX_NLINK | STATX_INO | STATX_CTIME, &known);
    if (result >= 0 || result == -9 || !sys_may(SYS_statx)) break;
  }
  if (result < 0) return (int)result;
  *facts =
      (struct fd_facts){.is_regular = S_ISREG(known.stx_mode),
                        .links = known.stx_nlink,
                        .block = known.stx_blksize,
                        .device = {known.stx_dev_major, known.stx_dev_minor},
                        .inode = known.stx_ino,
                        .changed = {(uint64_t)known.stx_ctime.tv_sec, known.stx_ctime.tv_nsec}};
  return 0;
}

int fd_space_of(int fd, struct fd_space *space) {
  struct statx known;
  /* The type and the number of links are asked for as well: a trace of system calls then shows that
   * the call is the runtime's. */
  long result = SYS5(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
                     STATX_TYPE | STATX_NLINK | STATX_SIZE | STATX_BLOCKS, &known);
  const uint32_t needed = STATX_SIZE | STATX_BLOCKS; /* a network file system may not know them */
  if (result < 0 || !S_ISREG(known.stx_mode) || (known.stx_mask & needed) != needed) return -1;
  *space = (struct fd_space){(int64_t)known.stx_size, (int64_t)known.stx_blocks * 512};
  return 0;
}

int64_t fd_end(int fd) {
  struct fd_space space;
  return fd_space_of(fd, &space) == 0 ? space.size : -1;
}

int fd_look(int fd, struct fd_facts *facts) {
  return look_at(fd, "", facts);
}

int fd_look_in(pid_t pid, int fd, struct fd_facts *facts) {
  char link[LINK_ROOM];
  if (pid == 0) return fd_look(fd, facts);
  put_link(link, pid, fd);
  return look_at(fd, link, facts);
}

/* Writes the target of the link /proc/PID/fd/FD to out. Returns its length, or -errno. */
static ssize_t link_of(char *out, size_t room, pid_t pid, int fd) {
  char link[LINK_ROOM];
  put_link(link, pid, fd);
  ssize_t got = sys_readlink(link, out, room);
  if (got < 0) got = sys_readlink(link, out, room); /* a failure is retried once */
  if (got >= 0 && (size_t)got < room) out[got] = '\0';
  return got;
}

static int is_marked(const char *name, size_t length) {
  return length > sizeof(gone) && strcmp(name + length - (sizeof(gone) - 1), gone) == 0;
}

/* Returns 1 if a file was deleted whose name ends with the kernel's mark " (deleted)". Otherwise
 * returns 0. The mark alone does not prove it, because a true name may end like that: the file must
 * have no links, or no file of this name may exist. */
static int is_gone(const char *name, int fd) {
  struct fd_facts facts;
  if (fd_look(fd, &facts) == 0 && facts.links == 0) return 1;
  return sys_faccess(name, F_OK) != 0;
}

/* Removes the mark " (deleted)" from a name that the kernel returned, and puts a memfd's name into
 * angle brackets. Returns the new length. */
static size_t last_name(char *name, size_t length) {
  length -= sizeof(gone) - 1;
  if (strncmp(name, memfd, sizeof(memfd) - 1) == 0) {
    name[0] = '<';
    name[length++] = '>';
  }
  name[length] = '\0';
  return length;
}

size_t fd_name(char *out, size_t room, int fd) {
  ssize_t got = link_of(out, room, 0, fd);
  if (got <= 0 || (size_t)got >= room || out[0] != '/')
    return 0; /* the kernel's name is not a path, like "pipe:[1]" */
  size_t length = (size_t)got;
  return is_marked(out, length) && is_gone(out, fd) ? last_name(out, length) : length;
}

size_t fd_name_by(char *out, size_t room, int fd, const struct fd_facts *facts) {
  ssize_t got = link_of(out, room, 0, fd);
  if (got <= 0 || (size_t)got >= room || out[0] != '/') return 0;
  if (!is_marked(out, (size_t)got)) return (size_t)got;
  return facts->links == 0 || sys_faccess(out, F_OK) != 0 ? last_name(out, (size_t)got)
                                                          : (size_t)got;
}

size_t fd_file_name(char *out, size_t room, pid_t pid, int fd, const struct fd_facts *facts) {
  ssize_t got = link_of(out, room, pid, fd);
  if (got > 0 && out[0] != '/') return 0;
  if (got < 0 && !sys_may(SYS_readlinkat)) return 0;
  if (got <= 0 || (size_t)got >= room) { /* /proc is not mounted, or the name is too long for it */
    static const char before[] = "<file ";
    memcpy(out, before, sizeof(before));
    size_t length = put_number(out, sizeof(before) - 1, facts->device[0]);
    out[length++] = ':';
    length = put_number(out, length, facts->device[1]);
    out[length++] = '/';
    length = put_number(out, length, facts->inode);
    memcpy(out + length, ">", 2);
    return length + 1;
  }
  size_t length = (size_t)got;
  return is_marked(out, length) && facts->links == 0 ? last_name(out, length) : length;
}
