/* Counts how descriptors of files are opened, duplicated and closed. */
#include "../posix.h"

#include <errno.h>
#include <string.h>

#include "../../../door/door.h"
#include "../../../intercept/sys/sys.h"
#include "../../stdio/stdio-module.h"
#include "../../training/training.h"
#include "../account.h"
#include "record-id.h"

/* Values of count_open's `counter` that are not counters. They define the file's tracked position
 * after the open. OPEN_BEGINS: 0. OPEN_IS_USED: unchanged, because a descriptor of the file is
 * already in use. */
enum { OPEN_BEGINS = -1, OPEN_IS_USED = -2 };

/* Counts an open (POSIX_OPENS) and its time. counter: index of another counter to increment
 * (POSIX_DUPS, POSIX_FILENOS), or OPEN_BEGINS or OPEN_IS_USED. mode: permission bits; 0: unknown,
 * leaves POSIX_MODE as it is. */
static void count_open(struct posix_file *file, int counter, int64_t mode, uint64_t t1,
                       uint64_t t2) {
  if (!posix_lock(file)) return;
  int64_t *counters = file->record->counters;
  counters[POSIX_OPENS]++;
  if (counter >= 0)
    counters[counter]++;
  else if (counter == OPEN_BEGINS) {
    /* If the file has other descriptors, a position that other processes share can still be
     * moved. */
    if (__atomic_load_n(&file->descriptors, __ATOMIC_RELAXED) == 1) posix_anchored(file);
    file->offset = 0;
    file->last_byte[POSIX_READ] = file->last_byte[POSIX_WRITE] = 0;
  }
  if (mode) counters[POSIX_MODE] = mode;
  struct clock_span at = ticks_span(t1, t2);
  posix_note_start(file, POSIX_F_OPEN_START_TIMESTAMP, at.start);
  file->record->fcounters[POSIX_F_OPEN_END_TIMESTAMP] = at.end;
  posix_add_time(file, POSIX_F_META_TIME, POSIX_NOTHING_YET, at);
  posix_unlock_other(file, counter < 0 ? SITE_OPEN : SITE_OTHER, t1, t2);
}

/* Marks the descriptor that an open of an excluded name returned. Its bytes count as bytes of
 * excluded files, except for files of /proc, /dev and /sys, whose bytes are not on storage, and
 * except if the POSIX module is off. */
static void opened_excluded(int fd, const char *path) {
  int made_up = strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/", 5) == 0 ||
                strncmp(path, "/sys/", 5) == 0;
  if (made_up || !module_is_on(DARSHAN_MOD_POSIX))
    fd_is_other(fd);
  else
    fd_excluded(fd);
}

/* Assigns the file of this number (0: not recorded) to the descriptor that an open or duplication
 * returned, and counts the open (count_open), unless the number is 0. */
static void register_fd(int fd, uint32_t number, int counter, int64_t mode, uint64_t t1,
                        uint64_t t2) {
  struct posix_file *file = posix_file_at(number);
  if (number) __atomic_add_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  fd_set_file(fd, number);
  if (number) count_open(file, counter, mode, t1, t2);
}

/* Sets the tracked position of a file that was opened to append, only for writing, to its current
 * size, where the first write goes. */
static __attribute__((noinline)) void begin_at_end(struct posix_file *file, int fd) {
  int64_t end = fd_end(fd);
  if (end < 0 || !posix_lock(file)) return;
  if (!file->adrift) file->offset = end;
  posix_unlock(file);
}

static __attribute__((noinline)) void opened(int fd, int dirfd, const char *path, int flags,
                                             mode_t mode, uint64_t t1, uint64_t t2) {
  struct posix_name name;
  if (!fd_may_change()) { /* later calls on the descriptor are not recorded either */
    runtime_lost_event(1);
    return;
  }
  training_opened(path);
  fd_dropped(fd);
  int unnamed = (flags & O_TMPFILE) == O_TMPFILE; /* path is the folder of the unnamed file */
  if (!posix_name_opened(&name, DARSHAN_MOD_POSIX, unnamed ? fd : dirfd, unnamed ? "" : path, fd)) {
    opened_excluded(fd, path);
    return;
  }
  uint32_t number = posix_file_enter(&name, fd);
  posix_name_done(&name);
  int creates = (flags & O_CREAT) || unnamed;
  register_fd(fd, number, OPEN_BEGINS, creates ? (int64_t)mode : 0, t1, t2);
  if (number && (flags & (O_APPEND | O_ACCMODE)) == (O_APPEND | O_WRONLY))
    begin_at_end(posix_file_at(number), fd);
  /* O_SYNC includes the bit of O_DSYNC. */
  if (number && (flags & O_DSYNC))
    posix_ext(posix_file_at(number), POSIX_EXT_SYNC_OPENS, 1, -1, 0, 0);
  if (UNLIKELY(number && posix_waited_for_a_pipe(fd, t1, t2)))
    posix_ext(posix_file_at(number), POSIX_EXT_FIFO_OPENS, 1, -1, 0, 0);
}

/* Counts an open that returned fd; negative: it failed, and a failed lookup is counted. dirfd to
 * mode: arguments of openat. Each is counted in a function of its own, so that a failed open needs
 * less of the application's stack. */
void posix_opened(int fd, int dirfd, const char *path, int flags, mode_t mode, uint64_t t1,
                  uint64_t t2) {
  if (fd < 0)
    posix_missed(dirfd, path, t1, t2);
  else
    opened(fd, dirfd, path, flags, mode, t1, t2);
}

struct posix_file *posix_opened_unseen(int dirfd, const char *path, int flags, mode_t mode,
                                       uint64_t t1, uint64_t t2) {
  struct posix_name name;
  if (!posix_name_of(&name, DARSHAN_MOD_POSIX, dirfd, path)) return NULL;
  uint32_t number = posix_file_enter(&name, -1);
  posix_name_done(&name);
  if (!number) return NULL;
  struct posix_file *file = posix_file_at(number);
  int is_used = __atomic_fetch_add(&file->descriptors, 1, __ATOMIC_RELAXED) != 0;
  count_open(file, is_used ? OPEN_IS_USED : OPEN_BEGINS, flags & O_CREAT ? (int64_t)mode : 0, t1,
             t2);
  return file;
}

void posix_memfd(int fd, const char *label, uint64_t t1, uint64_t t2) {
  static const char before[] = "<memfd:";
  struct path_buffer *buffer;
  if (!fd_may_change()) return;
  fd_dropped(fd);
  if (!module_is_on(DARSHAN_MOD_POSIX)) return;
  if (!(buffer = path_buffer_take())) return;
  size_t length = sizeof(before) - 1, n = strnlen(label, 256);
  memcpy(buffer->bytes, before, length);
  memcpy(buffer->bytes + length, label, n);
  length += n;
  memcpy(buffer->bytes + length++, ">", 2);
  struct posix_name name = {.text = buffer->bytes, .length = (uint32_t)length, .buffer = buffer};
  name.id = darshan_hash(name.text, name.length, 0);
  uint32_t number = posix_file_enter(&name, fd);
  posix_name_done(&name);
  register_fd(fd, number, OPEN_BEGINS, 0, t1, t2);
}

/* Returns 1 if a forked child that has recorded nothing closed a descriptor of its parent, as
 * shells do before they execute a program. The child used no file, and a record for the close would
 * need a journal. Returns 0 if the close took long: it wrote data and must be counted. */
static int is_only_given_up(uint64_t t1, uint64_t t2) {
  static const double long_time = 1e-4; /* seconds */
  return runtime_is_new_child() && clock_length(ticks_span(t1, t2)) < long_time;
}

void posix_closed(struct posix_file *file, uint64_t t1, uint64_t t2) {
  if (!file) return;
  if (!is_only_given_up(t1, t2) && posix_lock(file)) {
    struct clock_span at = ticks_span(t1, t2);
    file->last_byte[POSIX_READ] = file->last_byte[POSIX_WRITE] = 0;
    posix_note_start(file, POSIX_F_CLOSE_START_TIMESTAMP, at.start);
    file->record->fcounters[POSIX_F_CLOSE_END_TIMESTAMP] = at.end;
    posix_add_time(file, POSIX_F_META_TIME, POSIX_NOTHING_YET, at);
    posix_unlock_other(file, SITE_CLOSE, t1, t2);
  }
  posix_file_unused(file);
}

/* Handles a close that failed; errno must be that of the close. Linux frees the descriptor even
 * then, and the close is counted, unless a seccomp filter or a tracer kept the call from the
 * kernel: then fd is still open, and the file is assigned to it again. file may be NULL only if fd
 * is closed. */
void posix_close_failed(struct posix_file *file, int fd, uint64_t t1, uint64_t t2) {
  if (errno == EBADF || SYS2(SYS_fcntl, fd, F_GETFD) < 0) {
    posix_closed(file, t1, t2);
    return;
  }
  fd_found_file(fd, file);
}

void posix_range_closed(unsigned first, unsigned last, uint64_t t1, uint64_t t2) {
  if (!fd_may_change()) return;
  if (last > fds_state.highest) last = fds_state.highest;
  for (int fd = fd_next((int)first - 1); fd >= 0 && (unsigned)fd <= last; fd = fd_next(fd))
    posix_closed(fd_release(fd), t1, t2);
}

void posix_duplicated(struct posix_file *file, int fd, uint64_t t1, uint64_t t2) {
  if (fd < 0 || !fd_may_change()) return;
  fd_dropped(fd);
  if (file) register_fd(fd, posix_file_number(file), POSIX_DUPS, 0, t1, t2);
}

void posix_standard_replaced(void) {
  for (int fd = 0; fd < 3; fd++)
    fd_is_other(fd);
}

int posix_fcntl_may_count(int command) {
  static const struct posix_file any;
  if (command == F_SETLK || command == F_SETLKW) runtime_locks();
  return posix_fcntl_counts(&any, command);
}

int posix_fcntl_counts(const struct posix_file *file, int command) {
  switch (command) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    return 1;
  case F_SETLK:
  case F_SETLKW:
  case F_OFD_SETLK:
  case F_OFD_SETLKW:
    return file != NULL;
  default:
    return 0;
  }
}

void posix_locked(struct posix_file *file, uint64_t t1, uint64_t t2) {
  posix_ext(file, POSIX_EXT_LOCKS, 1, POSIX_EXT_F_LOCK_TIME, t1, t2);
}

void posix_fcntl(struct posix_file *file, int result, int command, uint64_t t1, uint64_t t2) {
  switch (command) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    posix_duplicated(file, result, t1, t2);
    break;
  default: /* record locks: posix_fcntl_counts rejects all others */
    if (file && result >= 0) posix_locked(file, t1, t2);
  }
}

/* Counts a fileno, by which the application gets the descriptor fd of a recorded stream, and
 * assigns the stream's file to the descriptor: from now on, direct calls on it count for that file.
 * Does nothing if the stream is not recorded. */
void posix_fileno(int fd, FILE *stream, uint64_t t1, uint64_t t2) {
  struct posix_name name;
  if (!fd_may_change() || !fd_can_follow(fd)) return;
  if (!stdio_stream_name(stream, &name)) return;
  if (!module_is_on(DARSHAN_MOD_POSIX)) return;
  uint32_t number = posix_file_enter(&name, fd);
  if (!number) return;
  struct posix_file *file = posix_file_at(number);
  int is_known = posix_file_of(fd) == file;
  if (is_known) /* the descriptor already counts as one of the file's */
    __atomic_sub_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  register_fd(fd, number, POSIX_FILENOS, 0, t1, t2);
  if (!is_known) posix_stream_joined(file, fd);
}
