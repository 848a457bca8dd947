/* The wrapper of syscall(2): counts the same events as the wrappers of libc's functions, for
 * libraries that make system calls by number (libuv closes every descriptor by it). */
#include "posix.h"

#include <libc-statx.h>
#include <linux/close_range.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "../../life/confine/confine.h"
#include "../../life/exec/exec.h"
#include "../../life/exec/unwatched.h"
#include "../../life/life.h"
#include "account.h"
#include "asynchronous/rings.h"
#include "mapped/mappings.h"

/* Returns the offset at which a transfer began (posix_place). offset_pointer: the argument of the
 * system call that points to the offset; 0: NULL. result: bytes, or -1. */
static int64_t place(long offset_pointer, long result) {
  return posix_place((const int64_t *)offset_pointer, result);
}

/* Counts a system call of this number on the recorded file of its first argument. b, d: its second
 * and fourth argument. Does nothing for calls that are not in the list. */
static void on_fd(struct posix_file *file, long number, long b, long d, long result, uint64_t t1,
                  uint64_t t2) {
  const void *memory = (const void *)b;
  switch (number) {
  case SYS_read:
    posix_transferred(file, POSIX_READ, result, POSIX_HERE, memory, t1, t2);
    break;
  case SYS_write:
    posix_transferred(file, POSIX_WRITE, result, POSIX_HERE, memory, t1, t2);
    break;
  case SYS_pread64:
    posix_transferred(file, POSIX_READ, result, d, memory, t1, t2);
    break;
  case SYS_pwrite64:
    posix_transferred(file, POSIX_WRITE, result, d, memory, t1, t2);
    break;
  case SYS_lseek:
    posix_seeked(file, result, t1, t2);
    break;
  case SYS_fsync:
    if (result == 0) posix_synced(file, POSIX_FSYNCS, t1, t2);
    break;
  case SYS_fdatasync:
    if (result == 0) posix_synced(file, POSIX_FDSYNCS, t1, t2);
    break;
  case SYS_flock:
    if (result == 0) posix_locked(file, t1, t2);
    break;
  case SYS_ftruncate:
    if (result == 0) posix_ext(file, POSIX_EXT_TRUNCATES, 1, POSIX_EXT_F_META_TIME, t1, t2);
    break;
  }
}

static void vector(struct posix_file *file, long number, long b, long c, long d, long result,
                   uint64_t t1, uint64_t t2) {
  int writes = number == SYS_writev || number == SYS_pwritev;
  int here = number == SYS_readv || number == SYS_writev;
  posix_vector(file, writes ? POSIX_WRITE : POSIX_READ, result, here ? POSIX_HERE : d,
               (const struct iovec *)b, (int)c, t1, t2);
}

static int mode_of(const void *status, long result) {
  return result == 0 ? (int)((const struct stat *)status)->st_mode : 0;
}

/* If the call makes descriptors of sockets, pipes and the like (descriptors.def), marks them as not
 * recorded and returns 1. Returns 0 if it is another call. */
static int other_made(const struct posix_call *call, long result) {
  const int *pair = NULL;
  switch (call->number) {
#define ONE(name) case SYS_##name:
#define PAIR(name, n)
#include "descriptors.def"
#undef ONE
#undef PAIR
    fd_is_other((int)result);
    return 1;
#define ONE(name)
#define PAIR(name, n)                                                                              \
  case SYS_##name:                                                                                 \
    pair = (const int *)call->argument[n];                                                         \
    break;
#include "descriptors.def"
#undef ONE
#undef PAIR
  default:
    return 0;
  }
  if (result == 0) {
    fd_is_other(pair[0]);
    fd_is_other(pair[1]);
  }
  return 1;
}

/* Counts an openat2 that returned `result`, a descriptor or -1. With RESOLVE_IN_ROOT the kernel
 * resolves "/x" and ".." below dirfd, so the name comes from the descriptor. */
static void opened_how(const struct posix_call *call, int result, uint64_t t1, uint64_t t2) {
  const struct open_how *how = (const struct open_how *)call->argument[2];
  int confined = result >= 0 && (how->resolve & RESOLVE_IN_ROOT);
  posix_opened(result, confined ? result : (int)call->argument[0],
               confined ? "" : (const char *)call->argument[1], result >= 0 ? (int)how->flags : 0,
               result >= 0 ? (mode_t)how->mode : 0, t1, t2);
}

/* Counts a system call that makes, copies or receives a descriptor of a file, or sets up a ring.
 * Returns 1 for these calls and for every fcntl, counted or not; 0 for other calls. */
static int descriptor_made(const struct posix_call *call, long result, uint64_t t1, uint64_t t2) {
  const long *a = call->argument;
  int fd = (int)a[0], made = (int)result;
  struct posix_file *file = posix_file_of(fd);
  switch (call->number) {
  case SYS_openat:
    posix_opened(made, fd, (const char *)a[1], (int)a[2], (mode_t)a[3], t1, t2);
    return 1;
#ifdef SYS_open
  case SYS_open:
    posix_opened(made, AT_FDCWD, (const char *)a[0], (int)a[1], (mode_t)a[2], t1, t2);
    return 1;
  case SYS_creat:
    posix_opened(made, AT_FDCWD, (const char *)a[0], O_CREAT, (mode_t)a[1], t1, t2);
    return 1;
  case SYS_dup2:
    if (fd != (int)a[1]) posix_duplicated(file, made, t1, t2);
    return 1;
#endif
  case SYS_openat2:
    opened_how(call, made, t1, t2);
    return 1;
  case SYS_open_by_handle_at:
    if (made >= 0) posix_opened(made, made, "", (int)a[2], 0, t1, t2);
    return 1;
  case SYS_memfd_create:
    if (made >= 0) posix_memfd(made, (const char *)a[0], t1, t2);
    return 1;
  case SYS_dup:
  case SYS_dup3:
    posix_duplicated(file, made, t1, t2);
    return 1;
  case SYS_fcntl:
    if (posix_fcntl_counts(file, (int)a[1])) posix_fcntl(file, made, (int)a[1], t1, t2);
    return 1;
  case SYS_io_uring_setup:
    if (made >= 0) ring_made(made, (const struct uring_setup *)a[1]);
    return 1;
  case SYS_pidfd_getfd:
    if (made >= 0) posix_arrived(made);
    return 1;
  case SYS_recvmsg:
    if (result >= 0) posix_message((const struct msghdr *)a[1]);
    return 1;
  case SYS_recvmmsg:
    posix_messages((const struct mmsghdr *)a[1], made);
    return 1;
  }
  return 0;
}

/* Called before an exec by system call. If the exec may succeed, sets call->leaves, replaces the
 * environment in the call's arguments by one with which the runtime starts in the next program, and
 * ends recording. */
static void leave(struct posix_call *call) {
  const long *a = call->argument;
  int by_descriptor = call->number == SYS_execveat;
  enum exec_kind kind = by_descriptor ? exec_at((int)a[0], (const char *)a[1], (int)a[4])
                                      : exec_may_work((const char *)a[0]);
  long *given = &call->argument[by_descriptor ? 3 : 2];
  char *const *envp = (char *const *)*given;
  call->leaves = kind != EXEC_FAILS;
  if (!call->leaves) return;
  *given = (long)exec_environment(envp);
  runtime_before_exec(kind == EXEC_WATCHED, envp, posix_hand_on_by_exec);
}

void posix_before_syscall(struct posix_call *call) {
  switch (call->number) {
  case SYS_copy_file_range:
    posix_file_behind((int)call->argument[2]);
    posix_file_behind((int)call->argument[0]);
    break;
  case SYS_sendfile:
    posix_file_behind((int)call->argument[1]);
    __attribute__((fallthrough));
  case SYS_read:
  case SYS_write:
  case SYS_pread64:
  case SYS_pwrite64:
  case SYS_readv:
  case SYS_writev:
  case SYS_preadv:
  case SYS_pwritev:
  case SYS_lseek:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_flock:
  case SYS_ftruncate:
  case SYS_dup:
#ifdef SYS_dup2
  case SYS_dup2:
#endif
  case SYS_dup3:
    posix_file_behind((int)call->argument[0]); /* classifies the descriptor */
    break;
  case SYS_io_uring_enter:
    call->ring =
        ring_of_number((int)call->argument[0], (call->argument[3] & ENTER_REGISTERED) != 0);
    if (call->ring) ring_submits(call->ring, call->argument[1]);
    break;
  case SYS_fcntl:
    if (posix_fcntl_may_count((int)call->argument[1])) posix_file_behind((int)call->argument[0]);
    break;
  case SYS_close:
    call->closing = fd_release((int)call->argument[0]);
    if (call->closing && UNLIKELY(posix_may_have_holes(call->closing)))
      posix_look_for_holes(call->closing, (int)call->argument[0]);
    break;
  case SYS_munmap:
    if (mappings_may_hold((void *)call->argument[0], (size_t)call->argument[1]))
      mappings_leaving((void *)call->argument[0], (size_t)call->argument[1]);
    break;
  case SYS_execve:
  case SYS_execveat:
    leave(call);
    break;
  case SYS_unshare:
    if (!(call->argument[0] & CLONE_NEWNS)) break;
    __attribute__((fallthrough));
  case SYS_chroot:
  case SYS_pivot_root:
  case SYS_setns:
    root_is_changing();
    break;
  }
}

/* Handles a system call that renames a file, or changes the folder or root in which names begin.
 * Returns 1, or 0 if it is another call. */
static int names_changed(const struct posix_call *call, long result, uint64_t t1, uint64_t t2) {
  const long *a = call->argument;
  switch (call->number) {
  case SYS_chroot:
  case SYS_pivot_root:
  case SYS_setns:
    root_changed((int)result);
    __attribute__((fallthrough));
  case SYS_chdir:
  case SYS_fchdir:
    if (result == 0) folder_changed();
    return 1;
  case SYS_unshare:
    if (a[0] & CLONE_NEWNS) root_changed((int)result);
    if (result == 0) folder_unshared((int)a[0]);
    return 1;
#ifdef SYS_rename
  case SYS_rename:
    posix_renamed((int)result, AT_FDCWD, (const char *)a[0], AT_FDCWD, (const char *)a[1], 0, t1,
                  t2);
    return 1;
#endif
#ifdef SYS_renameat
  case SYS_renameat:
#endif
  case SYS_renameat2:
    posix_renamed((int)result, (int)a[0], (const char *)a[1], (int)a[2], (const char *)a[3],
                  call->number == SYS_renameat2 ? (unsigned)a[4] : 0, t1, t2);
    return 1;
  }
  return 0;
}

/* Counts a close, whose descriptor posix_before_syscall has released. */
static void closed(const struct posix_call *call, long result, uint64_t t1, uint64_t t2) {
  if (!call->closing) return;
  if (result == 0)
    posix_closed(call->closing, t1, t2);
  else
    posix_close_failed(call->closing, (int)call->argument[0], t1, t2);
}

void posix_syscall(const struct posix_call *call, long result, uint64_t t1, uint64_t t2) {
  const long *a = call->argument;
  int fd = (int)a[0];
  struct posix_file *file = posix_file_of(fd);
  switch (call->number) {
  case SYS_close:
    closed(call, result, t1, t2);
    break;
#ifdef SYS_close_range
  case SYS_close_range:
    if (result == 0 && !(a[2] & CLOSE_RANGE_CLOEXEC))
      posix_range_closed((unsigned)a[0], (unsigned)a[1], t1, t2);
    break;
#endif
  case SYS_io_uring_enter:
    if (call->ring) ring_look_there(call->ring, t1, t2);
    break;
  case SYS_io_uring_register:
    ring_registered(fd, (unsigned)a[1], (const void *)a[2], (unsigned)a[3], result);
    break;
  case SYS_execve:
  case SYS_execveat:
    environment_done();
    if (call->leaves) runtime_exec_failed();
    break;
  case SYS_statx:
    posix_stated((int)result, fd, (const char *)a[1],
                 result == 0 ? ((const struct statx *)a[4])->stx_mode : 0, t1, t2);
    break;
  case SYS_newfstatat:
    posix_stated((int)result, fd, (const char *)a[1], (mode_t)mode_of((void *)a[2], result), t1,
                 t2);
    break;
  case SYS_copy_file_range:
    posix_copied(file, posix_file_of((int)a[2]), result, place(a[1], result), place(a[3], result),
                 POSIX_EXT_COPY_RANGES, t1, t2);
    break;
  case SYS_sendfile:
    posix_copied(posix_file_of((int)a[1]), file, result, place(a[2], result), POSIX_HERE,
                 POSIX_EXT_SENDFILES, t1, t2);
    break;
  case SYS_readv:
  case SYS_writev:
  case SYS_preadv:
  case SYS_pwritev:
    if (file) vector(file, call->number, a[1], a[2], a[3], result, t1, t2);
    break;
  default:
    if (descriptor_made(call, result, t1, t2) || other_made(call, result) ||
        names_changed(call, result, t1, t2))
      break;
    if (file) on_fd(file, call->number, a[1], a[3], result, t1, t2);
  }
}
