#include "journal.h"

#include <string.h>
#include <sys/mman.h>

#include "../intercept/sys.h"

enum { PAGE = 4096, FIRST_STEP = 16 << 10, LARGEST_STEP = 1 << 20, ZEROS = 16 << 10 };

void *journal_private_memory(size_t size) {
  void *memory = sys_mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return sys_failed(memory) ? NULL : memory;
}

static int remember_identity(struct journal *journal, int fd) {
  struct stat st;
  if (SYS2(SYS_fstat, fd, &st) < 0) return -1;
  journal->dev = st.st_dev;
  journal->ino = st.st_ino;
  return 0;
}

static int map_file(struct journal *journal, size_t size) {
  if (journal->path[0] == '\0' || !sys_may_grow_to(size)) return -1;
  int fd = sys_open(journal->path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return -1;
  void *base = (void *)-1L;
  if (sys_ftruncate(fd, (off_t)size) == 0 && remember_identity(journal, fd) == 0)
    base = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (sys_failed(base)) {
    sys_close(fd);
    sys_unlink(journal->path);
    return -1;
  }
  journal->fd = fd;
  journal->base = base;
  journal->has_file = 1;
  return 0;
}

int journal_map(struct journal *journal, size_t size) {
  journal->size = size;
  journal->has_file = 0;
  journal->fd = -1;
  if (map_file(journal, size) == 0) return 0;
  journal->base = journal_private_memory(size);
  return journal->base ? 0 : -1;
}

void journal_ready(struct journal *journal) {
  if (journal->fd >= 0) sys_close(journal->fd);
  journal->fd = -1;
}

/* The journal's own file, or -1: no descriptor is kept open, because programs
 * close descriptors that they do not know. */
static int reopen(const struct journal *journal) {
  struct stat st;
  int fd = sys_open(journal->path, O_RDWR, 0);
  if (fd < 0) return -1;
  if (SYS2(SYS_fstat, fd, &st) < 0 || st.st_dev != journal->dev || st.st_ino != journal->ino) {
    sys_close(fd);
    return -1;
  }
  return fd;
}

/* Zeros that are written reserve room on every file system, and leave pages
 * behind that are cheap to touch.  fallocate would reserve too, but a store into
 * what it reserved makes ext4 zero and map up to 2 MiB at once. */
static int reserve_in_file(const struct journal *journal, size_t from, size_t to) {
  static const char zeros[ZEROS];
  int fd = journal->fd >= 0 ? journal->fd : reopen(journal);
  if (fd < 0) return -1;
  while (from < to) {
    size_t n = to - from < ZEROS ? to - from : ZEROS;
    ssize_t written = sys_pwrite(fd, zeros, n, (off_t)from);
    if (written <= 0) break;
    from += (size_t)written;
  }
  if (fd != journal->fd) sys_close(fd);
  return from < to ? -1 : 0;
}

static size_t page_up(size_t n) {
  return (n + PAGE - 1) & ~(size_t)(PAGE - 1);
}

int journal_reserve(struct journal *journal, struct journal_part *part, size_t needed) {
  if (part->start + needed > part->end) return -1;
  if (needed <= part->usable) return 0;
  if (!journal->has_file) {
    part->usable = part->end - part->start;
    return 0;
  }
  size_t step = part->usable < FIRST_STEP     ? FIRST_STEP
                : part->usable < LARGEST_STEP ? part->usable
                                              : LARGEST_STEP;
  size_t from = part->usable ? part->start + part->usable : part->start & ~(size_t)(PAGE - 1);
  size_t to = page_up(part->start + needed > from + step ? part->start + needed : from + step);
  if (to > part->end) to = part->end;
  if (reserve_in_file(journal, from, to) == 0) {
    part->usable = part->kept = to - part->start;
    return 0;
  }
  size_t first = page_up(from);
  void *memory = sys_mmap(journal->base + first, part->end - first, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  if (sys_failed(memory)) return -1;
  part->usable = part->end - part->start;
  return 0;
}

/* Is it still ours, and not a stranger's file of this name? */
static int file_is_there(const struct journal *journal) {
  struct stat st;
  return journal->base && journal->has_file &&
         SYS4(SYS_newfstatat, AT_FDCWD, journal->path, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
         st.st_dev == journal->dev && st.st_ino == journal->ino;
}

void journal_rename(struct journal *journal, const char *path) {
  if (path[0] && file_is_there(journal) && sys_rename_new(journal->path, path) == 0)
    memcpy(journal->path, path, strlen(path) + 1);
}

void journal_remove(struct journal *journal) {
  if (file_is_there(journal)) sys_unlink(journal->path);
}

void journal_restore(struct journal *journal) {
  if (!journal->base || !journal->has_file) return;
  journal->has_file = 0;
  if (!sys_may_grow_to(journal->size)) return;
  int fd = sys_open(journal->path, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return;
  size_t done = 0;
  while (done < journal->size) {
    ssize_t n = sys_pwrite(fd, journal->base + done, journal->size - done, (off_t)done);
    if (n <= 0) break;
    done += (size_t)n;
  }
  void *again = (void *)-1L;
  if (done == journal->size && remember_identity(journal, fd) == 0)
    again = sys_mmap(journal->base, journal->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     fd, 0);
  sys_close(fd);
  if (sys_failed(again))
    sys_unlink(journal->path);
  else
    journal->has_file = 1;
}
