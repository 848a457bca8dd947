/* The remedy next-file: when the program opens a file of a list for reading, the kernel is told to
 * read the next file of the list into the page cache. The list has the files that the program read
 * in the log, in the order of their first opens.
 *
 * The remedy opens the next file for this, for a moment, and the program must not notice. So it
 * ends when the process has a second thread. This thread could open a file in this moment and get
 * another descriptor, or fork. Signals are delayed. The next file is never one that the process has
 * opened before, also by another name (a hard link), because a close would release the process's
 * locks (fcntl). */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../intercept/guard.h"
#include "../intercept/sys/sys.h"
#include "remedies.h"

enum {
  MOST_FILES = 16384,   /* of the list */
  MOST_BYTES = 4 << 20, /* of all names, each with its NUL */
  LONGEST = 4096,       /* bytes of a path */
};

/* A file of the list. */
struct listed {
  const char *name; /* its path, in the mapped file of names */
  uint64_t hash;    /* hash_of the name */
  int was_opened;   /* 1: this process has opened the file, so it is not read in advance */
};

static struct {
  struct listed *files;
  size_t count;
  size_t last;   /* index of the file that was opened last: the search begins behind it */
  int is_loaded; /* 1: load was called */
  int is_over;   /* 1: the remedy has ended */
} list;

static uint64_t hash_of(const char *name, size_t length) {
  uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
  for (size_t n = 0; n < length; n++)
    hash = (hash ^ (unsigned char)name[n]) * 0x100000001b3;
  return hash;
}

/* Maps the file with the names into memory, for good. Returns its address, and its bytes in *size;
 * NULL if there is no such file, if it is empty or longer than MOST_BYTES, or on an error. */
static const char *mapped_names(size_t *size) {
  struct stat st;
  int fd = sys_open(remedy_names(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
  if (fd < 0) return NULL;
  void *at = NULL;
  if (sys_fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= MOST_BYTES)
    at = sys_mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  sys_close(fd);
  if (!at || sys_failed(at)) return NULL;
  *size = (size_t)st.st_size;
  return at;
}

/* Loads the list of files; called once. Without memory or names, the list is empty. A name without
 * a NUL, and files beyond MOST_FILES, are left out. */
static void load(void) {
  size_t size = 0;
  list.is_loaded = 1;
  list.files = remedy_memory(MOST_FILES * sizeof(*list.files));
  const char *at = list.files ? mapped_names(&size) : NULL;
  for (const char *end = at ? at + size : NULL; at < end && list.count < MOST_FILES;) {
    size_t length = strnlen(at, (size_t)(end - at));
    if (at + length == end) break; /* without a NUL, the name was cut off */
    list.files[list.count].name = at;
    list.files[list.count++].hash = hash_of(at, length);
    at += length + 1;
  }
}

/* Returns the index in the list of the file of this descriptor; list.count if it is not in the
 * list. The list must not be empty. */
static size_t place_of(int fd) {
  static char path[LONGEST]; /* not on the program's stack, which may be small */
  char link[32];
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t length = sys_readlink(link, path, sizeof(path) - 1);
  if (length <= 0) return list.count;
  path[length] = '\0';
  uint64_t hash = hash_of(path, (size_t)length);
  for (size_t n = 1; n <= list.count; n++) {
    size_t place = (list.last + n) % list.count;
    const struct listed *one = &list.files[place];
    if (one->hash == hash && strcmp(one->name, path) == 0) return place;
  }
  return list.count;
}

/* Advises the kernel to read the file of this name into the page cache, if it is a regular file
 * with one name that the kernel does not generate. Calls stat before it opens the file, because to
 * open a named pipe or a device has effects. */
static void need(const char *name) {
  enum { FLAGS = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY };
  struct stat st, opened;
  if (SYS4(SYS_newfstatat, AT_FDCWD, name, &st, AT_SYMLINK_NOFOLLOW) < 0) return;
  if (!S_ISREG(st.st_mode) || st.st_nlink != 1) return;
  int fd = sys_open(name, FLAGS | O_NOATIME, 0);
  if (fd < 0) fd = sys_open(name, FLAGS, 0); /* O_NOATIME is for the owner */
  if (fd < 0) return;
  if (sys_fstat(fd, &opened) == 0 && S_ISREG(opened.st_mode) && opened.st_ino == st.st_ino &&
      !is_kernel_file(fd))
    advice_need(fd);
  sys_close(fd);
}

/* Returns 1 if the process has one thread, otherwise 0, also if that is unknown. */
static int has_one_thread(void) {
  enum { OTHER_LINKS = 2 }; /* of a folder; each thread has a folder in this one */
  struct stat st;
  if (SYS4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) < 0) return 0;
  return st.st_nlink == OTHER_LINKS + 1;
}

void next_file_opened(int fd, int flags) {
  if (list.is_over || !remedy_value(NEXT_FILE)) return;
  if (!has_one_thread()) {
    list.is_over = 1;
    return;
  }
  int begun = guard_begin();
  if (!list.is_loaded) load();
  size_t place = list.count ? place_of(fd) : 0;
  if (place < list.count) {
    list.files[place].was_opened = 1;
    list.last = place;
    int is_read = (flags & O_ACCMODE) == O_RDONLY;
    if (is_read && place + 1 < list.count && !list.files[place + 1].was_opened)
      need(list.files[place + 1].name);
  }
  guard_end(begun);
}

void next_file_stop(void) {
  list.is_over = 1;
}
