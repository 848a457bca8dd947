/* The remedy read-ahead: serves small reads of a file from a buffer that is read ahead, as a
 * program that reads through a buffer would. Only descriptors that are opened read-only are served,
 * and only while this process has not opened the same file for writing; `darshan try` applies the
 * remedy only if no process of the log wrote the file.
 *
 * While a descriptor is served, this file stores its position, and the kernel's position does not
 * move. Before a call that would use the kernel's position, or pass the descriptor to another
 * process, the remedy sets the kernel's position and serves the descriptor no more. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libc-names.h>

#include "../intercept/guard.h"
#include "../intercept/sys/sys.h"
#include "remedies.h"

#define REMEDY "read-ahead" /* its value is the size of the buffer in bytes */

enum {
  DESCRIPTORS = 1024,
  BUFFERS = 64,        /* descriptors with a buffer */
  FILES_WRITTEN = 256, /* files that this process opened for writing */
  SMALL = 64 << 10     /* bytes; larger reads go to the kernel */
};

static struct ahead {
  int lock;
  int begun; /* the update of the thread that has the lock: handlers of signals wait for its end */
  int is_served;
  dev_t device;
  ino_t inode;
  off_t at;    /* the position that the program sees */
  off_t next;  /* behind the last bytes that the program read */
  off_t begin; /* in the file, of what the buffer holds */
  off_t end;
  char *buffer; /* stays for the next file with this descriptor */
} descriptors[DESCRIPTORS] SELDOM;

static struct {
  dev_t device;
  ino_t inode;
} written[FILES_WRITTEN];
static int written_count, buffers, is_off;

static void lock(struct ahead *one) {
  int begun = guard_begin();
  while (__atomic_exchange_n(&one->lock, 1, __ATOMIC_ACQUIRE))
    SYS1(SYS_sched_yield, 0);
  one->begun = begun;
}

static void unlock(struct ahead *one) {
  int begun = one->begun;
  __atomic_store_n(&one->lock, 0, __ATOMIC_RELEASE);
  guard_end(begun);
}

/* Returns the descriptor's element, locked, if its reads are served; else NULL. */
static struct ahead *served(long fd) {
  if (fd < FIRST_OWN || fd >= DESCRIPTORS) return NULL;
  struct ahead *one = &descriptors[fd];
  if (!__atomic_load_n(&one->is_served, __ATOMIC_ACQUIRE)) return NULL;
  lock(one);
  if (one->is_served) return one;
  unlock(one);
  return NULL;
}

/* Serves the descriptor no more: sets the kernel's position to the one that the program sees. */
static void give_up(long fd) {
  struct ahead *one = served(fd);
  if (!one) return;
  SYS3(SYS_lseek, fd, one->at, SEEK_SET);
  one->is_served = 0;
  unlock(one);
}

static void give_all_up(void) {
  for (int fd = FIRST_OWN; fd < DESCRIPTORS; fd++)
    give_up(fd);
}

void read_ahead_stop(void) {
  __atomic_store_n(&is_off, 1, __ATOMIC_RELEASE);
  give_all_up();
}

void read_ahead_shown(void) {
  give_all_up();
}

static void closes(long fd) {
  struct ahead *one = served(fd);
  if (!one) return;
  one->is_served = 0;
  unlock(one);
}

/* Notes that this process has opened the file for writing, and serves no descriptor of the file any
 * more, because the buffer would become stale. */
static void is_written(const struct stat *st) {
  int place = __atomic_fetch_add(&written_count, 1, __ATOMIC_ACQ_REL);
  if (place >= FILES_WRITTEN) {
    read_ahead_stop();
    return;
  }
  written[place].device = st->st_dev;
  __atomic_store_n(&written[place].inode, st->st_ino, __ATOMIC_RELEASE);
  for (int fd = FIRST_OWN; fd < DESCRIPTORS; fd++)
    if (descriptors[fd].inode == st->st_ino && descriptors[fd].device == st->st_dev) give_up(fd);
}

static int was_written(const struct stat *st) {
  for (int n = 0; n < FILES_WRITTEN && n < written_count; n++)
    if (written[n].inode == st->st_ino && written[n].device == st->st_dev) return 1;
  return 0;
}

/* Gives the descriptor a buffer, unless it has one. Returns 0, or -1 if there is none. */
static int has_buffer(struct ahead *one) {
  if (one->buffer) return 0;
  if (__atomic_fetch_add(&buffers, 1, __ATOMIC_ACQ_REL) >= BUFFERS) return -1;
  one->buffer = remedy_memory(remedy_value(REMEDY));
  return one->buffer ? 0 : -1;
}

void read_ahead_opened(int fd, int flags, const struct stat *st) {
  if (!remedy_value(REMEDY)) return;
  if ((flags & O_ACCMODE) != O_RDONLY) is_written(st);
  if (fd < FIRST_OWN || fd >= DESCRIPTORS) return;
  closes(fd); /* a call that this library does not see may have closed it */
  if ((flags & (O_ACCMODE | O_DIRECT | O_PATH)) != O_RDONLY || is_off || was_written(st)) return;
  if (SYS3(SYS_lseek, fd, 0, SEEK_CUR) != 0) return;
  struct ahead *one = &descriptors[fd];
  lock(one);
  if (has_buffer(one) == 0) {
    one->device = st->st_dev;
    one->inode = st->st_ino;
    one->at = one->next = one->begin = one->end = 0;
    __atomic_store_n(&one->is_served, 1, __ATOMIC_RELEASE);
  }
  unlock(one);
}

/* Returns 1 if a read at offset `from` continues the last read or skips at most an eighth of the
 * buffer, so that reading ahead is worthwhile; else 0. */
static int goes_on(const struct ahead *one, off_t from) {
  return from >= one->next && from <= one->next + (off_t)remedy_value(REMEDY) / 8;
}

/* Reads n bytes at offset `at`, from the buffer if possible; fills the buffer for sequential reads.
 * Returns the number of bytes, or -1 with errno set. The caller has locked the descriptor. */
static ssize_t take(struct ahead *one, int fd, char *to, size_t n, off_t at) {
  size_t done = 0;
  ssize_t got = 1;
  while (done < n && got > 0) {
    off_t from = at + (off_t)done;
    if (from >= one->begin && from < one->end) {
      size_t held = (size_t)(one->end - from), part = n - done < held ? n - done : held;
      memcpy(to + done, one->buffer + (from - one->begin), part);
      done += part;
    } else if (n > SMALL || !goes_on(one, from)) {
      got = sys_pread(fd, to + done, n - done, from);
      done += got > 0 ? (size_t)got : 0;
      break;
    } else {
      got = sys_pread(fd, one->buffer, remedy_value(REMEDY), from);
      one->begin = from;
      one->end = from + (got > 0 ? got : 0);
    }
  }
  one->next = at + (off_t)done;
  if (done || got >= 0) return (ssize_t)done;
  errno = (int)-got;
  return -1;
}

static ssize_t read_here(long fd, void *to, size_t n, ssize_t *result) {
  if (!is_address(to, n)) give_up(fd);
  struct ahead *one = served(fd);
  if (!one) return 0;
  *result = take(one, (int)fd, to, n, one->at);
  if (*result > 0) one->at += *result;
  unlock(one);
  return 1;
}

static ssize_t read_at(long fd, void *to, size_t n, off_t at, ssize_t *result) {
  struct ahead *one = at >= 0 && is_address(to, n) ? served(fd) : NULL;
  if (!one) return 0;
  *result = take(one, (int)fd, to, n, at);
  unlock(one);
  return 1;
}

/* Carries out an lseek on a served descriptor. Returns 1 with the result of lseek in *result, or 0
 * if the descriptor is not served. */
static int move(long fd, off_t by, int whence, off_t *result) {
  struct ahead *one = served(fd);
  if (!one) return 0;
  if (whence == SEEK_CUR && !__builtin_add_overflow(by, one->at, &by)) whence = SEEK_SET;
  if (whence == SEEK_SET && by >= 0) {
    one->at = *result = by;
  } else {
    *result = SYS3(SYS_lseek, fd, by, whence);
    if (*result >= 0) one->at = *result;
  }
  unlock(one);
  if (*result < 0) {
    errno = (int)-*result;
    *result = -1;
  }
  return 1;
}

static long (*below_syscall)(long, long, long, long, long, long, long);
static long instead_of_syscall(long n, long a, long b, long c, long d, long e, long f) {
  if (!is_harmless_call(n)) give_all_up();
  return below_syscall(n, a, b, c, d, e, f);
}

#define KEEPS_SERVED(command) ((command) == F_GETFD || (command) == F_SETFD || (command) == F_GETFL)
#define CONTROLS                                                                                   \
  if (!KEEPS_SERVED((int)b)) give_up((int)a)

#define SERVED(name, type, params, args, here)                                                     \
  static type(*below_##name) params;                                                               \
  static type instead_of_##name params {                                                           \
    type r = 0;                                                                                    \
    return here ? r : below_##name args;                                                           \
  }
#define BEFORE(name, what)                                                                         \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    what;                                                                                          \
    return below_##name(a, b, c, d, e, f);                                                         \
  }
#include "read-ahead.def"
#undef SERVED
#undef BEFORE

#define ROW(name) {#name, (void *)instead_of_##name, (void **)&below_##name},
const struct replacement read_ahead_replacements[] = {
#define SERVED(name, type, params, args, here) ROW(name)
#define BEFORE(name, what) ROW(name)
#include "read-ahead.def"
#undef SERVED
#undef BEFORE
    ROW(syscall){NULL, NULL, NULL},
};
