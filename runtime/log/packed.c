/* Appends the part of a process to the file that the parts of a run share (log_save_packed in
 * save.h). */
#include "save.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "../counting/clock.h"
#include "../intercept/sys/sys.h"
#include "../job/run-state.h"
#include "../job/runtime.h"
#include "../records/after-chroot.h"
#include "../records/in-place.h"
#include "record-id.h"

static int is_packed;

int log_is_packed(void) {
  return is_packed;
}

/* Returns 1 if the run accepts parts, otherwise 0. A run with the file `closed` has its log: the
 * merger writes `closed` before it looks for parts a last time. A directory with neither `closed`
 * nor `events` has its log, too, in a run of the `darshan` command (top is 0): there `events`
 * exists from the start, and the merger removes it before `closed`; the directory stays if a late
 * process has made a file in it. In any other run the first process makes `events`, so a directory
 * without both files is open. */
int log_run_is_open(void) {
  struct stat st;
  if (outside_lstat(run_state.closed, &st) == 0) return 0;
  return run_state.top != 0 || outside_lstat(run_state.events, &st) == 0;
}

static struct run_packed head_of(const struct log_draft *draft) {
  const struct darshan_clock *clock = &darshan_hot.clock;
  struct run_packed head = {.log = darshan_hash(draft->bytes, draft->used, 0),
                            .length = draft->used,
                            .start_ns =
                                clock->start_sec * (int64_t)NS_PER_SECOND + clock->start_nsec,
                            .pid = process_state.pid,
                            .number = (uint32_t)run_state.parts};
  memcpy(head.magic, RUN_PACKED_MAGIC, sizeof(head.magic));
  size_t skip = offsetof(struct run_packed, log);
  head.head = darshan_hash((const char *)&head + skip, sizeof(head) - skip, 0);
  return head;
}

/* Returns 1 if this process, which holds the shared lock, may append n bytes: the open file is
 * still the file at its path, its file system is local, its new size is within RLIMIT_FSIZE, and
 * the run has no log yet. Otherwise returns 0. Sets the permissions of a new file, which the umask
 * may have removed and which mergers and other processes need. */
static int may_append(int fd, size_t n) {
  struct stat here, there;
  struct statfs fs;
  return sys_fstat(fd, &here) == 0 && outside_lstat(run_state.packed, &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev && S_ISREG(here.st_mode) &&
         ((here.st_mode & RUN_EVENTS_MODE) == RUN_EVENTS_MODE ||
          sys_fchmod(fd, RUN_EVENTS_MODE) == 0) &&
         SYS2(SYS_fstatfs, fd, &fs) == 0 && in_place(fs.f_type) &&
         sys_may_grow_to((uint64_t)here.st_size + n) && log_run_is_open();
}

/* Writes head and log in one call, because the kernel does not mix the bytes of one call with those
 * of other processes. Shifts the log within its memory for this, and back; the caller knows that
 * the head fits behind it. Returns 0 or -1. */
static int write_both(int fd, const struct log_draft *draft) {
  struct run_packed head = head_of(draft);
  ssize_t all = (ssize_t)(sizeof(head) + draft->used);
  memmove(draft->bytes + sizeof(head), draft->bytes, draft->used);
  memcpy(draft->bytes, &head, sizeof(head));
  ssize_t written = sys_write(fd, draft->bytes, (size_t)all);
  memmove(draft->bytes, draft->bytes + sizeof(head), draft->used);
  return written == all ? 0 : -1;
}

int log_save_packed(const struct log_draft *draft) {
  size_t n = sizeof(struct run_packed) + draft->used;
  is_packed = 0;
  if (run_state.is_first_row || draft->used > RUN_PACKED_MOST || n > draft->room) return -1;
  int fd =
      outside_open(run_state.packed, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, RUN_EVENTS_MODE);
  if (fd < 0) return -1;
  if (SYS2(SYS_flock, fd, LOCK_SH | LOCK_NB) == 0 && may_append(fd, n))
    is_packed = write_both(fd, draft) == 0;
  if (sys_close(fd) < 0)
    is_packed = 0; /* the caller then writes a separate file; readers skip the packed copy */
  return is_packed ? 0 : -1;
}
