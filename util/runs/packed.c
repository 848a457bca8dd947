/* Reads the file of a run that contains the small logs of many processes (packed.h). */
#include "packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../runtime/format/record-id.h"
#include "events.h"

enum { BLOCK = 1 << 16, SKIPPED_MOST = 1 << 26, MAGIC = sizeof(((struct run_packed *)0)->magic) };

/* Reads n bytes at offset `at`. Returns their number, fewer only at the end of the file; -1 with
 * errno. */
static ssize_t read_at(int fd, void *bytes, size_t n, uint64_t at) {
  size_t done = 0;
  while (done < n) {
    ssize_t got = pread(fd, (char *)bytes + done, n - done, (off_t)(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

int packed_open(int folder) {
  struct stat st;
  int fd = openat(folder, RUN_PACK, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) return fd;
  /* EACCES: the process that created the file was killed before it had written to it. */
  int is_other =
      fd >= 0 || errno == ELOOP /* a link */ || errno == ENXIO /* a socket */ || errno == EACCES;
  if (fd >= 0) close(fd);
  if (is_other) errno = ENOENT;
  return -1;
}

/* --- its logs -------------------------------------------------------------------------------- */

/* Returns 1 if the bytes are the valid head of a log, whose own hash is right; otherwise 0. */
static int is_head(const struct run_packed *head) {
  size_t skip = offsetof(struct run_packed, log);
  return memcmp(head->magic, RUN_PACKED_MAGIC, MAGIC) == 0 && head->length > 0 &&
         head->length <= RUN_PACKED_MOST && head->pid > 0 && head->start_ns > 0 &&
         head->start_ns < RUN_TIME_MOST &&
         head->head == darshan_hash((const char *)head + skip, sizeof(*head) - skip, 0);
}

/* The window: bytes of the file around the current offset. */
struct window {
  int fd;
  uint64_t from; /* offset in the file of bytes[0] */
  size_t have;   /* number of valid bytes */
  char bytes[BLOCK];
};

/* Returns the address of n bytes at offset `at`, which the window then contains. Returns NULL at
 * the end of the file, or with *failed set. */
static const char *bytes_at(struct window *window, uint64_t at, size_t n, int *failed) {
  if (at < window->from || at + n > window->from + window->have) {
    ssize_t got = read_at(window->fd, window->bytes, sizeof(window->bytes), at);
    if (got < 0) *failed = 1;
    window->from = at;
    window->have = got > 0 ? (size_t)got : 0;
  }
  return window->have >= n && at + n <= window->from + window->have
             ? window->bytes + (at - window->from)
             : NULL;
}

/* Returns the offset of the next magic number from `at` on; UINT64_MAX if none is within 64 MiB or
 * before the end of the file, or with *failed set. */
static uint64_t next_magic(struct window *window, uint64_t at, int *failed) {
  uint64_t end = at + SKIPPED_MOST;
  while (at < end && bytes_at(window, at, MAGIC, failed)) {
    const char *begin = window->bytes + (at - window->from);
    size_t left = window->have - (size_t)(at - window->from);
    const char *found = memmem(begin, left, RUN_PACKED_MAGIC, MAGIC);
    if (found) return at + (uint64_t)(found - begin);
    at += left - (MAGIC - 1);
  }
  return UINT64_MAX;
}

/* Returns 1 if the log after a head at offset `at` is complete and unchanged, otherwise 0; also 0
 * if out of memory. */
static int is_whole(int fd, const struct run_packed *head, uint64_t at) {
  char *bytes = malloc(head->length);
  int whole = bytes && read_at(fd, bytes, head->length, at) == (ssize_t)head->length &&
              darshan_hash(bytes, head->length, 0) == head->log;
  free(bytes);
  return whole;
}

int packed_each(int fd, int (*take)(void *context, const struct packed_log *log), void *context) {
  struct window *window = malloc(sizeof(*window));
  struct run_packed head;
  const char *bytes;
  uint64_t at = 0, skipped = 0;
  int failed = 0, result = 0;
  if (!window) return -1;
  window->fd = fd;
  window->from = window->have = 0;
  while (result >= 0 && at != UINT64_MAX && skipped < SKIPPED_MOST &&
         (bytes = bytes_at(window, at, sizeof(head), &failed))) {
    memcpy(&head, bytes, sizeof(head));
    uint64_t next = at + sizeof(head);
    int looks_right = is_head(&head);
    if (looks_right && is_whole(fd, &head, next)) {
      struct packed_log log = {head.pid, head.number, head.start_ns, next, head.length};
      result = take(context, &log);
      at = next + head.length;
      continue;
    }
    /* The log of a killed process ends early, so another head may be within the length that its
     * head claims. */
    next = next_magic(window, at + 1, &failed);
    skipped += next - at + (looks_right ? head.length : 0);
    at = next;
  }
  free(window);
  return failed ? -1 : result < 0 ? result : 0;
}

/* --- changes --------------------------------------------------------------------------------- */

int packed_lock(int folder) {
  enum { TRIES = 200 };
  const struct timespec step = {0, 5000000};
  struct stat mine, there;
  for (int i = 0; i < TRIES; i++) {
    int fd = packed_open(folder);
    if (fd < 0) return -1;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &mine) == 0 &&
        fstatat(folder, RUN_PACK, &there, AT_SYMLINK_NOFOLLOW) == 0 && mine.st_ino == there.st_ino)
      return fd;
    close(fd);
    nanosleep(&step, NULL);
  }
  errno = EWOULDBLOCK;
  return -1;
}

/* Arguments of copy_log. */
struct rewriting {
  int fd, to;  /* old file; new file, -1: only count the logs that stay */
  size_t kept; /* number of these logs */
  int (*keeps)(void *context, const struct packed_log *log);
  void *context;
};

static int write_all(int fd, const char *bytes, size_t n) {
  while (n > 0) {
    ssize_t written = write(fd, bytes, n);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    bytes += written;
    n -= (size_t)written;
  }
  return 0;
}

/* Copies a log that stays to the new file. Returns 0, or -1 on failure. */
static int copy_log(void *context, const struct packed_log *log) {
  struct rewriting *rewriting = context;
  if (!rewriting->keeps(rewriting->context, log)) return 0;
  rewriting->kept++;
  if (rewriting->to < 0) return 0;
  size_t n = sizeof(struct run_packed) + log->length;
  char *bytes = malloc(n);
  int failed =
      !bytes ||
      read_at(rewriting->fd, bytes, n, log->at - sizeof(struct run_packed)) != (ssize_t)n ||
      write_all(rewriting->to, bytes, n) < 0;
  free(bytes);
  return failed ? -1 : 0;
}

int packed_remove(int folder, int fd, const char *new_name,
                  int (*keeps)(void *context, const struct packed_log *log), void *context) {
  struct rewriting rewriting = {fd, -1, 0, keeps, context};
  if (packed_each(fd, copy_log, &rewriting) < 0) return -1;
  if (rewriting.kept == 0) return unlinkat(folder, RUN_PACK, 0);
  unlinkat(folder, new_name, 0); /* left by a killed merger */
  rewriting.to = openat(folder, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                        RUN_EVENTS_MODE);
  if (rewriting.to < 0) return -1;
  int failed = packed_each(fd, copy_log, &rewriting) < 0;
  if (close(rewriting.to) < 0 || failed || renameat(folder, new_name, folder, RUN_PACK) < 0) {
    unlinkat(folder, new_name, 0);
    return -1;
  }
  return 0;
}
