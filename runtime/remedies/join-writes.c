/* The remedy join-writes: consecutive small writes become one write. Only descriptors of regular
 * files that are opened for writing (without O_SYNC and O_DIRECT) are joined, and only if the file
 * has one name and this process opens it for the first time. The delayed bytes belong at the
 * kernel's position of the descriptor, so it is sufficient to write them before any other call that
 * uses the descriptor or inspects the file.
 *
 * libstdc++ opens the file of a std::ofstream by fopen, but writes to the descriptor of the stream.
 * So the descriptor of a stream is joined while the stream itself has moved no bytes.
 *
 * An error of a delayed write is returned by the next write, fsync or close. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libc-names.h>
#include <libc-stream.h>

#include "buffered.h"
#include "streams/held-streams.h"

enum {
  FILES_OPENED = 1024
}; /* largest number of files of which this process has opened a descriptor */

static struct joined {
  struct buffered on;
  int error;          /* errno of a delayed write that failed and was not reported yet; 0: none */
  size_t held;        /* number of bytes in the buffer */
  const FILE *stream; /* the stream that opened the descriptor; NULL: none, or it does not matter
                         any more */
} descriptors[DESCRIPTORS] SELDOM;

static struct file_id opened[FILES_OPENED] SELDOM;
static int opened_count, buffers, is_off;

/* Returns the descriptor's element with its lock held, if its writes are joined; else NULL. */
static struct joined *joined(long fd) {
  if (fd < FIRST_OWN || fd >= DESCRIPTORS) return NULL;
  struct joined *one = &descriptors[fd];
  return buffered_take(&one->on) ? one : NULL;
}

/* Writes the descriptor's delayed bytes to fd. If that fails, stores the errno in one->error and
 * drops the bytes that are not written yet. */
static void write_held(struct joined *one, int fd) {
  size_t done = 0;
  while (done < one->held) {
    ssize_t wrote = sys_write(fd, one->on.buffer + done, one->held - done);
    if (wrote == -EINTR) continue;
    if (wrote <= 0) {
      one->error = wrote < 0 ? (int)-wrote : EIO;
      break;
    }
    done += (size_t)wrote;
  }
  one->held = 0;
}

/* Writes the descriptor's delayed bytes, if it has any. Its later writes are still joined. */
static void drain(long fd) {
  struct joined *one = joined((int)fd);
  if (!one) return;
  write_held(one, (int)fd);
  buffered_unlock(&one->on);
}

/* Writes the descriptor's delayed bytes and stops joining its writes. Returns the errno of a
 * delayed write that failed and was not reported yet, or 0. */
static int give_up(long fd) {
  if (fd >= FIRST_OWN && fd < DESCRIPTORS) descriptors[fd].stream = NULL;
  struct joined *one = joined((int)fd);
  if (!one) return 0;
  write_held(one, (int)fd);
  int error = one->error;
  one->on.is_served = one->error = 0;
  buffered_unlock(&one->on);
  return error;
}

static void drain_all(void) {
  for (int fd = FIRST_OWN; fd < DESCRIPTORS; fd++)
    drain(fd);
}

static void give_all_up(void) {
  for (int fd = FIRST_OWN; fd < DESCRIPTORS; fd++)
    give_up(fd);
}

void join_writes_stop(void) {
  __atomic_store_n(&is_off, 1, __ATOMIC_RELEASE);
  give_all_up();
}

/* Called at exit, after the other destructors: writes all delayed bytes and stops joining. */
__attribute__((destructor)) static void ends(void) {
  join_writes_stop();
}

void join_writes_save(void) {
  for (int fd = FIRST_OWN; fd < DESCRIPTORS; fd++) {
    struct joined *one = &descriptors[fd];
    if (one->on.is_served && one->held) write_held(one, fd);
  }
}

/* Notes that this process has opened the file. Returns 1 if it is the first time. Otherwise stops
 * joining for the file's other descriptors and returns 0. If the list of opened files is full,
 * stops joining for all descriptors and returns 0. */
static int is_first(const struct stat *st) {
  int known = files_have(opened, FILES_OPENED, opened_count, st);
  for (int fd = FIRST_OWN; known && fd < DESCRIPTORS; fd++)
    if (is_file(&descriptors[fd].on.file, st)) give_up(fd);
  if (known) return 0;
  if (files_add(opened, FILES_OPENED, &opened_count, st) == 0) return 1;
  join_writes_stop();
  return 0;
}

/* Starts to join the writes of a descriptor, unless the remedy has ended or there is no buffer. */
static void join(struct joined *one) {
  if (is_off) return;
  fatal_signals_watch();
  buffered_lock(&one->on);
  if (!one->on.is_served && buffered_has_buffer(&one->on, JOIN_WRITES, &buffers) == 0) {
    one->held = 0;
    one->error = 0;
    buffered_serve(&one->on);
  }
  buffered_unlock(&one->on);
}

void join_writes_opened(int fd, int flags, const struct stat *st, const FILE *stream) {
  enum { AT_ONCE = O_SYNC | O_DSYNC | O_DIRECT | O_PATH };
  if (!remedy_value(JOIN_WRITES)) return;
  if (fd >= FIRST_OWN && fd < DESCRIPTORS)
    give_up(fd); /* the runtime did not see that fd was closed */
  if (!is_first(st) || is_off || fd < FIRST_OWN || fd >= DESCRIPTORS) return;
  if ((flags & O_ACCMODE) == O_RDONLY || (flags & AT_ONCE) || st->st_nlink != 1) return;
  struct joined *one = &descriptors[fd];
  one->on.file = (struct file_id){st->st_dev, st->st_ino};
  if (stream)
    one->stream = stream;
  else
    join(one);
}

/* Returns 1 if the stream that opened the descriptor has not read or written yet, or if stream is
 * NULL: no stream opened it. Otherwise returns 0. */
static int is_idle(const FILE *stream) {
  return !stream || (!stream_write_base(stream) && !stream_read_base(stream));
}

/* Joins the writes to the descriptor of a stream, because the program has obtained this descriptor
 * (fileno). But if the stream has already moved bytes, stops joining for the descriptor. Does
 * nothing if the stream is NULL or not the one that opened the descriptor. */
static void asked_for(const FILE *stream) {
  long fd = stream ? stream_fd(stream) : -1;
  if (fd < FIRST_OWN || fd >= DESCRIPTORS || descriptors[fd].stream != stream) return;
  if (!is_idle(stream))
    give_up(fd);
  else if (!__atomic_load_n(&descriptors[fd].on.is_served, __ATOMIC_ACQUIRE))
    join(&descriptors[fd]);
}

/* Stops joining for the descriptor of a stream, or for all descriptors if stream is NULL. */
static void give_stream_up(const FILE *stream) {
  if (stream)
    give_up(stream_fd(stream));
  else
    give_all_up();
}

/* Adds a write of at most SMALL bytes to the descriptor's buffer. Returns 1 with the write's result
 * in *result: n, or -1 with errno if an earlier write of delayed bytes failed. Returns 0, after it
 * has written the delayed bytes, if the caller must make the system call. */
static int takes(long fd, const void *from, size_t n, ssize_t *result) {
  struct joined *one = joined((int)fd);
  if (!one) return 0;
  if (!is_address(from, n) || !is_idle(one->stream)) {
    write_held(one, (int)fd);
    buffered_unlock(&one->on);
    return 0;
  }
  if (n > SMALL || one->held + n > remedy_value(JOIN_WRITES)) write_held(one, (int)fd);
  int error = one->error, is_taken = 1;
  one->error = 0;
  if (error) {
    errno = error;
    *result = -1;
  } else if (n > SMALL) {
    is_taken = 0;
  } else {
    memcpy(one->on.buffer + one->held, from, n);
    one->held += n;
    *result = (ssize_t)n;
  }
  buffered_unlock(&one->on);
  return is_taken;
}

#define WRITES(F) F(write) F(__write)
#define WRITE(name)                                                                                \
  static ssize_t (*below_##name)(int fd, const void *from, size_t n);                              \
  static ssize_t instead_of_##name(int fd, const void *from, size_t n) {                           \
    ssize_t r = 0;                                                                                 \
    return takes(fd, from, n, &r) ? r : below_##name(fd, from, n);                                 \
  }
WRITES(WRITE)
#undef WRITE

/* Returns `result`, that of a close or fsync. But if it is 0 and an earlier delayed write failed
 * with errno `error` (0: none failed), sets errno and returns -1. */
static long with_error(long result, int error) {
  if (!error || (int)result != 0) return result;
  errno = error;
  return -1;
}

#define CLOSES(F) F(close) F(__close)
#define CLOSE(name)                                                                                \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    int error = give_up((int)a);                                                                   \
    return with_error(below_##name(a, b, c, d, e, f), error);                                      \
  }
CLOSES(CLOSE)
#undef CLOSE

static int (*below_fclose)(FILE *stream);
static int instead_of_fclose(FILE *stream) {
  int error = stream ? give_up(stream_fd(stream)) : 0;
  return with_error(below_fclose(stream), error) ? EOF : 0;
}

/* Writes the descriptor's delayed bytes. Returns the errno of a delayed write that failed and was
 * not reported yet, or 0. */
static int drained(long fd) {
  struct joined *one = joined((int)fd);
  if (!one) return 0;
  write_held(one, (int)fd);
  int error = one->error;
  one->error = 0;
  buffered_unlock(&one->on);
  return error;
}

#define SYNCS(F) F(fsync) F(fdatasync)
#define SYNC(name)                                                                                 \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    int error = drained((int)a);                                                                   \
    return with_error(below_##name(a, b, c, d, e, f), error);                                      \
  }
SYNCS(SYNC)
#undef SYNC

/* Stops joining before a system call by number, unless the call is known to be harmless
 * (is_harmless_call). */
static long (*below_syscall)(long, long, long, long, long, long, long);
static long instead_of_syscall(long n, long a, long b, long c, long d, long e, long f) {
  if (!is_harmless_call(n)) give_all_up();
  return below_syscall(n, a, b, c, d, e, f);
}

#define KEEPS_JOINED(command) ((command) == F_GETFD || (command) == F_SETFD || (command) == F_GETFL)
#define CONTROLS                                                                                   \
  if (!KEEPS_JOINED((int)b)) give_up(a)
#define BEFORE(name, what)                                                                         \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    what;                                                                                          \
    return below_##name(a, b, c, d, e, f);                                                         \
  }
#include "join-writes.def"
#undef BEFORE

#define LOOK(name)                                                                                 \
  static any_function *below_look_##name;                                                          \
  static long look_##name(long a, long b, long c, long d, long e, long f) {                        \
    drain_all();                                                                                   \
    return below_look_##name(a, b, c, d, e, f);                                                    \
  }
#include "looks.def"
#undef LOOK

#define ROW(name) {#name, (void *)instead_of_##name, (void **)&below_##name},
const struct replacement join_writes_replacements[] = {
#define BEFORE(name, what) ROW(name)
#include "join-writes.def"
#undef BEFORE
#define LOOK(name) {#name, (void *)look_##name, (void **)&below_look_##name},
#include "looks.def"
#undef LOOK
    WRITES(ROW) CLOSES(ROW) SYNCS(ROW) ROW(fclose) ROW(syscall){NULL, NULL, NULL},
};
