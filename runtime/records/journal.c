/* Creates, maps, extends and removes the journal's file (journal.h). */
#include "journal.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "../intercept/guard.h"
#include "../intercept/memory.h"
#include "../intercept/sys/sys.h"
#include "after-chroot.h"
#include "in-place.h"

enum { ZEROS = 16 << 10 };

size_t journal_page = JOURNAL_PAGE;

void journal_ask_page(void) {
  size_t page = getauxval(AT_PAGESZ);
  if (page > JOURNAL_PAGE) journal_page = page;
}

static int remember_identity(struct journal *journal, int fd) {
  struct stat st;
  if (SYS2(SYS_fstat, fd, &st) < 0) return -1;
  journal->dev = st.st_dev;
  journal->ino = st.st_ino;
  return 0;
}

enum { TMPFS = 0x01021994 }; /* f_type of statfs, as in in-place.def */

/* create returns the descriptor of the new file, or -1. It returns UNSAFE, and removes the new
 * file, if the file system is not in in-place.def. */
enum { UNSAFE = -2 };
static int create(struct journal *journal) {
  struct statfs fs;
  int fd = outside_open(journal->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  int safe = SYS2(SYS_fstatfs, fd, &fs) == 0 && in_place(fs.f_type);
  journal->on_tmpfs = safe && fs.f_type == TMPFS;
  if (safe && sys_ftruncate(fd, (off_t)journal->size) == 0 && remember_identity(journal, fd) == 0)
    return fd;
  sys_close(fd);
  outside_unlink(journal->path);
  return safe ? -1 : UNSAFE;
}

int journal_create(struct journal *journal) {
  static const char memory[] = IN_PLACE_FOLDER "/";
  if (journal->path[0] == '\0' || !sys_may_grow_to(journal->size)) return -1;
  int fd = create(journal);
  journal->unsafe = fd == UNSAFE;
  if (fd != UNSAFE) return fd;
  const char *name = strrchr(journal->path, '/') + 1;
  size_t folder = sizeof(memory) - 1, length = strlen(name) + 1;
  if (folder + length > sizeof(journal->path)) return -1;
  memmove(journal->path + folder, name, length);
  memcpy(journal->path, memory, folder);
  fd = create(journal);
  return fd < 0 ? -1 : fd;
}

int journal_open(const struct journal *journal) {
  struct stat st;
  int fd = outside_open(journal->path, O_RDWR | O_NOFOLLOW, 0);
  if (fd < 0) return -1;
  if (SYS2(SYS_fstat, fd, &st) < 0 || st.st_dev != journal->dev || st.st_ino != journal->ino) {
    sys_close(fd);
    return -1;
  }
  return fd;
}

/* Writes zeros from offset `from` to `to`, which reserves this space on every file system that
 * overwrites in place. Returns 0, or -1 if a limit or the disk does not allow it. Zeros also leave
 * pages in memory that are cheap to touch. fallocate would reserve space, too, but then the first
 * store makes ext4 zero and map up to 2 MiB at once. On a tmpfs, fallocate is used: it only
 * allocates the pages, which is cheaper than copying zeros. */
int journal_reserve(const struct journal *journal, int fd, size_t from, size_t to) {
  SELDOM static char zeros[ZEROS]; /* never written, so its pages are the kernel's zero page */
  if (!sys_may_grow_to(to)) return -1;
  if (journal->on_tmpfs && from < to && sys_fallocate(fd, (off_t)from, (off_t)(to - from)) == 0)
    return 0;
  for (size_t n; from < to; from += n) {
    n = to - from < ZEROS ? to - from : ZEROS;
    if (sys_pwrite_all(fd, zeros, n, (off_t)from) < 0) return -1;
  }
  return 0;
}

/* Makes the n bytes at `at` writable without a later SIGBUS. Returns 0 or -1. A nearly full file
 * system may accept the zeros of a page and then have no block for it. MADV_POPULATE_WRITE (Linux
 * 5.14) returns an error in this case, while a store would raise SIGBUS. On older kernels each page
 * gets a store. */
int journal_make_pages(char *at, size_t n) {
  enum { POPULATE_WRITE = 23, UNKNOWN = -22 /* EINVAL */, FORBIDDEN = -1 /* EPERM */ };
  size_t odd = (uintptr_t)at % journal_page;
  if (n == 0) return 0;
  int result = sys_madvise(at - odd, journal_page_up(odd + n), POPULATE_WRITE);
  if (result != UNKNOWN && result != FORBIDDEN) return result < 0 ? -1 : 0;
  volatile char *page = at - odd;
  for (size_t i = 0; i < odd + n; i += JOURNAL_PAGE)
    page[i] = page[i];
  return 0;
}

char *journal_window(int fd, size_t from, size_t to) {
  size_t first = journal_page_down(from), size = journal_page_up(to) - first;
  char *at = fd < 0 ? private_memory(size)
                    : sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)first);
  return sys_failed(at) || !at ? NULL : at + (from - first);
}

int journal_replace(char *window, char *by, size_t from, size_t to) {
  size_t before = from - journal_page_down(from), size = journal_page_up(to) - (from - before);
  long result = sys_call(SYS_mremap, (long)(by - before), (long)size, (long)size,
                         MREMAP_MAYMOVE | MREMAP_FIXED, (long)(window - before), 0);
  return sys_failed((void *)result) ? -1 : 0;
}

void journal_unmap(char *window, size_t from, size_t to) {
  size_t before = from - journal_page_down(from);
  sys_munmap(window - before, journal_page_up(to) - (from - before));
}

int journal_look(const struct journal *journal, struct stat *st) {
  int result = outside_lstat(journal->path, st);
  if (result == 0 && (st->st_dev != journal->dev || st->st_ino != journal->ino))
    return -2; /* ENOENT */
  return result;
}

static int file_is_there(const struct journal *journal) {
  struct stat st;
  return journal->has_file && journal_look(journal, &st) == 0;
}

void journal_rename(struct journal *journal, const char *path) {
  if (path[0] && file_is_there(journal) && outside_rename_new(journal->path, path) == 0)
    memcpy(journal->path, path, strlen(path) + 1);
}

int journal_remove(struct journal *journal) {
  enum { NOT_THERE = -2 /* ENOENT */ };
  struct stat st;
  int result = journal->has_file ? outside_lstat(journal->path, &st) : NOT_THERE;
  /* ENOENT is verified by a second call, because a wrong one would leave an orphaned journal. */
  if (journal->has_file && result == NOT_THERE) result = outside_lstat(journal->path, &st);
  if (result == 0 && (st.st_dev != journal->dev || st.st_ino != journal->ino)) return 0;
  if (result == 0) result = outside_unlink(journal->path);
  if (result < 0 && result != NOT_THERE && outside_lstat(journal->path, &st) == 0 &&
      st.st_dev == journal->dev && st.st_ino == journal->ino)
    result = outside_unlink(journal->path); /* a second try may succeed */
  return result == NOT_THERE ? 0 : result;
}
