/* Gives streams of regular files a larger buffer, and flushes it before the program or another
 * process can inspect the file (held-streams.h). */
#include "held-streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libc-names.h>
#include <libc-stream.h>

#include "../../intercept/loader/libc-direct.h"
#include "../../intercept/real.h"
#include "../../intercept/sys/sys.h"
#include "../remedies.h"

enum { STREAMS = 64 };

/* Elements are never freed: after its stream is closed, libc uses the same FILE address for another
 * stream. */
static struct held streams[STREAMS];
static int is_off;

static int (*real_setvbuf)(FILE *file, char *buffer, int mode, size_t size);
static int (*real_fflush)(FILE *file);
static int (*below_fclose)(FILE *file);

/* Returns the stream's element. If it has none, makes one if `make` is 1; otherwise, or if the
 * table is full, returns NULL. */
static struct held *held_of(FILE *file, int make) {
  for (int n = 0; n < STREAMS; n++) {
    FILE *none = NULL;
    if (__atomic_load_n(&streams[n].file, __ATOMIC_ACQUIRE) == file) return &streams[n];
    if (streams[n].file || !make) continue;
    if (__atomic_compare_exchange_n(&streams[n].file, &none, file, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return &streams[n];
  }
  return NULL;
}

struct held *held_stream(FILE *file) {
  struct held *held = file ? held_of(file, 0) : NULL;
  return held && held->is_open ? held : NULL;
}

/* Flushes a stream and gives it the buffer and the mode that the program chose, until it is
 * closed. */
static void let_go(struct held *held) {
  char *buffer = held->own ? held->own : held->buffer;
  flockfile(held->file);
  held->is_open = 0;
  held->is_let_go = 1;
  LIBC(fflush)(held->file);
  LIBC(setvbuf)(held->file, held->mode == _IONBF ? NULL : buffer, held->mode, held->size);
  funlockfile(held->file);
}

/* Calls let_go for the open streams of this file that have a buffer of the runtime. Returns 1 if
 * the file has open streams that have or had such a buffer, else 0. */
static int others_go(const struct stat *st) {
  int found = 0;
  for (int n = 0; n < STREAMS; n++) {
    struct held *held = &streams[n];
    if (held->inode != st->st_ino || held->device != st->st_dev) continue;
    if (!held->is_open && !held->is_let_go) continue;
    if (held->is_open) let_go(held);
    found = 1;
  }
  return found;
}

/* Gives a stream of a regular file, opened with this mode of fopen, a buffer of the runtime, if
 * that is possible and allowed. file: NULL if the open failed. Returns file. */
static FILE *with_buffer(FILE *file, const char *mode) {
  size_t size = remedy_value(STDIO_BUFFER);
  if (!size) size = remedy_value(FLUSH_DELAY);
  struct stat st;
  int fd = file ? stream_fd(file) : -1;
  if (fd < FIRST_OWN || sys_fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) return file;
  if (is_off || is_kernel_file(fd) || others_go(&st) || stream_state_is_asked()) return file;
  fatal_signals_watch();
  struct held *held = held_of(file, 1);
  if (held && !held->buffer) held->buffer = remedy_memory(size);
  if (!held || !held->buffer) return file;
  held->device = st.st_dev;
  held->inode = st.st_ino;
  held->mode = _IOFBF;
  held->own = NULL;
  held->size = (size_t)st.st_blksize < size ? (size_t)st.st_blksize : size;
  held->only_writes = *mode != 'r' && !strchr(mode, '+');
  held->flushed = 0;
  held->is_open = LIBC(setvbuf)(file, held->buffer, _IOFBF, size) == 0;
  return file;
}

void held_streams_write(void) {
  int saved = errno;
  for (int n = 0; n < STREAMS; n++) {
    /* Skips a stream that another thread has locked. */
    if (!streams[n].is_open || ftrylockfile(streams[n].file) != 0) continue;
    LIBC(fflush)(streams[n].file);
    funlockfile(streams[n].file);
  }
  errno = saved;
}

void held_streams_save(void) {
  for (int n = 0; n < STREAMS; n++) {
    const struct held *held = &streams[n];
    if (!held->is_open || !held->only_writes || !stream_is_putting(held->file)) continue;
    const char *from = stream_write_base(held->file), *end = stream_write_at(held->file);
    while (from && from < end) {
      ssize_t done = sys_write(stream_fd(held->file), from, (size_t)(end - from));
      if (done <= 0) break;
      from += done;
    }
  }
}

#define OPENS(F) F(fopen) F(fopen64) F(_IO_fopen)
#define OPEN(name)                                                                                 \
  static FILE *(*below_##name)(const char *path, const char *mode);                                \
  static FILE *held_##name(const char *path, const char *mode) {                                   \
    held_streams_write();                                                                          \
    return with_buffer(below_##name(path, mode), mode);                                            \
  }
OPENS(OPEN)
#undef OPEN

/* The replacement of fclose. */
static int closed(FILE *file) {
  struct held *held = held_of(file, 0);
  if (held)
    held->is_open = held->is_let_go = 0; /* set before another stream can have the same address */
  return below_fclose(file);
}

void held_streams_stop(void) {
  __atomic_store_n(&is_off, 1, __ATOMIC_RELEASE);
  for (int n = 0; n < STREAMS; n++)
    if (streams[n].is_open) let_go(&streams[n]);
}

/* Flushes all streams that have a buffer of the runtime, and calls let_go for this one, because the
 * program is about to get its descriptor or to reopen it. */
static void lets_go(FILE *file) {
  struct held *held = held_stream(file);
  held_streams_write();
  if (held) let_go(held);
}

#define LOOK(name)                                                                                 \
  static any_function *below_##name;                                                               \
  static long held_##name(long a, long b, long c, long d, long e, long f) {                        \
    held_streams_write();                                                                          \
    return below_##name(a, b, c, d, e, f);                                                         \
  }
#include "../looks.def"
#undef LOOK

/* The real syscall(). Before it, the remedy writes the delayed bytes, because the call may inspect
 * a file, unless the call is known to be harmless. */
static long (*below_syscall)(long, long, long, long, long, long, long);
static long held_syscall(long n, long a, long b, long c, long d, long e, long f) {
  if (!is_harmless_call(n)) held_streams_write();
  return below_syscall(n, a, b, c, d, e, f);
}

/* inotify: the program is about to count changes of files, so no bytes are delayed from then on. */
#define WATCHES(F) F(inotify_init) F(inotify_init1)
#define WATCH(name)                                                                                \
  static any_function *below_##name;                                                               \
  static long held_##name(long a, long b, long c, long d, long e, long f) {                        \
    held_streams_stop();                                                                           \
    return below_##name(a, b, c, d, e, f);                                                         \
  }
WATCHES(WATCH)
#undef WATCH

#define LETS_GO(F) F(fileno) F(fileno_unlocked) F(freopen) F(freopen64)
#define LET_GO(name, file)                                                                         \
  static any_function *below_##name;                                                               \
  static long held_##name(long a, long b, long c, long d, long e, long f) {                        \
    lets_go((FILE *)(file));                                                                       \
    return below_##name(a, b, c, d, e, f);                                                         \
  }
LET_GO(fileno, a)
LET_GO(fileno_unlocked, a)
LET_GO(freopen, c)
LET_GO(freopen64, c)
#undef LET_GO

#define ROW(name) {#name, (void *)held_##name, (void **)&below_##name},
const struct replacement stream_replacements[] = {
#define LOOK ROW
#include "../looks.def"
#undef LOOK
    OPENS(ROW) LETS_GO(ROW) WATCHES(ROW)
        ROW(syscall){"fclose", (void *)closed, (void **)&below_fclose},
    {NULL, NULL, NULL},
};
