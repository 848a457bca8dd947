/* The remedy read-ahead: serves small reads of a file from a buffer that is read ahead, as a
 * program that reads through a buffer would. Only descriptors that are opened read-only are served,
 * and only while this process has not opened the same file for writing; `darshan try` applies the
 * remedy only if no process of the log wrote the file.
 *
 * While a descriptor is served, this file stores its position, and the kernel's position does not
 * move. Before a call that would use the kernel's position, or pass the descriptor to another
 * process, the remedy sets the kernel's position and stops serving the descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libc-names.h>

#include "buffered.h"

#define REMEDY "read-ahead" /* its value is the size of the buffer in bytes */

enum { FILES_WRITTEN = 256 }; /* largest number of files that this process opened for writing */

static struct ahead {
  struct buffered on;
  off_t at;    /* the position that the program sees */
  off_t next;  /* the position after the last bytes that the program read */
  off_t begin; /* the buffer has the bytes of the file from begin to end - 1 */
  off_t end;
} descriptors[DESCRIPTORS] SELDOM;

static struct file_id written[FILES_WRITTEN];
static int written_count, buffers, is_off;

/* Returns the descriptor's element with its lock held, if its reads are served; else NULL. */
static struct ahead *served(long fd) {
  if (fd < FIRST_OWN || fd >= DESCRIPTORS) return NULL;
  struct ahead *one = &descriptors[fd];
  return buffered_take(&one->on) ? one : NULL;
}

/* Stops serving the descriptor, and sets the kernel's position to the position that the program
 * sees. */
static void give_up(long fd) {
  struct ahead *one = served(fd);
  if (!one) return;
  SYS3(SYS_lseek, fd, one->at, SEEK_SET);
  one->on.is_served = 0;
  buffered_unlock(&one->on);
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

/* Stops serving the descriptor, which is closed, so the kernel's position is not set. */
static void closes(long fd) {
  struct ahead *one = served(fd);
  if (!one) return;
  one->on.is_served = 0;
  buffered_unlock(&one->on);
}

/* Notes that this process has opened the file for writing, and stops serving descriptors of the
 * file, because the buffer would become stale. If the list of such files is full, ends the
 * remedy. */
static void is_written(const struct stat *st) {
  if (files_add(written, FILES_WRITTEN, &written_count, st) < 0) {
    read_ahead_stop();
    return;
  }
  for (int fd = FIRST_OWN; fd < DESCRIPTORS; fd++)
    if (is_file(&descriptors[fd].on.file, st)) give_up(fd);
}

void read_ahead_opened(int fd, int flags, const struct stat *st) {
  if (!remedy_value(REMEDY)) return;
  if ((flags & O_ACCMODE) != O_RDONLY) is_written(st);
  if (fd < FIRST_OWN || fd >= DESCRIPTORS) return;
  closes(fd); /* a call that the runtime does not see may have closed it */
  if ((flags & (O_ACCMODE | O_DIRECT | O_PATH)) != O_RDONLY || is_off) return;
  if (files_have(written, FILES_WRITTEN, written_count, st)) return;
  if (SYS3(SYS_lseek, fd, 0, SEEK_CUR) != 0) return;
  struct ahead *one = &descriptors[fd];
  buffered_lock(&one->on);
  if (buffered_has_buffer(&one->on, REMEDY, &buffers) == 0) {
    one->at = one->next = one->begin = one->end = 0;
    one->on.file = (struct file_id){st->st_dev, st->st_ino};
    buffered_serve(&one->on);
  }
  buffered_unlock(&one->on);
}

/* Returns 1 if a read at file offset `from` continues the last read or skips at most an eighth of
 * the buffer's size, so that reading ahead is worthwhile; else 0. */
static int goes_on(const struct ahead *one, off_t from) {
  return from >= one->next && from <= one->next + (off_t)remedy_value(REMEDY) / 8;
}

/* Reads up to n bytes at file offset `at`, from the buffer if possible; fills the buffer for
 * sequential reads of at most SMALL bytes. Returns the number of bytes (0: end of the file), or -1
 * with errno set. Does not change one->at. The caller has locked the descriptor. */
static ssize_t take(struct ahead *one, int fd, char *to, size_t n, off_t at) {
  size_t done = 0;
  ssize_t got = 1;
  while (done < n && got > 0) {
    off_t from = at + (off_t)done;
    if (from >= one->begin && from < one->end) {
      size_t held = (size_t)(one->end - from), part = n - done < held ? n - done : held;
      memcpy(to + done, one->on.buffer + (from - one->begin), part);
      done += part;
    } else if (n > SMALL || !goes_on(one, from)) {
      got = sys_pread(fd, to + done, n - done, from);
      done += got > 0 ? (size_t)got : 0;
      break;
    } else {
      got = sys_pread(fd, one->on.buffer, remedy_value(REMEDY), from);
      one->begin = from;
      one->end = from + (got > 0 ? got : 0);
    }
  }
  one->next = at + (off_t)done;
  if (done || got >= 0) return (ssize_t)done;
  errno = (int)-got;
  return -1;
}

/* read_here reads at the descriptor's position and moves it; read_at reads at file offset `at`.
 * Return 1 with the call's result in *result, or 0 if the real function must be called. */
static ssize_t read_here(long fd, void *to, size_t n, ssize_t *result) {
  if (!is_address(to, n)) give_up(fd);
  struct ahead *one = served(fd);
  if (!one) return 0;
  *result = take(one, (int)fd, to, n, one->at);
  if (*result > 0) one->at += *result;
  buffered_unlock(&one->on);
  return 1;
}

static ssize_t read_at(long fd, void *to, size_t n, off_t at, ssize_t *result) {
  struct ahead *one = at >= 0 && is_address(to, n) ? served(fd) : NULL;
  if (!one) return 0;
  *result = take(one, (int)fd, to, n, at);
  buffered_unlock(&one->on);
  return 1;
}

/* Carries out an lseek on a served descriptor. Returns 1 with the result of lseek in *result (-1
 * with errno set if it failed), or 0 if the descriptor is not served. */
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
  buffered_unlock(&one->on);
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
