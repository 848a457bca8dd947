/* The remedy durability, which serves only to measure: calls that wait until data are on the
 * storage device return at once, and files are opened without O_SYNC and O_DSYNC. `darshan try`
 * applies it only to files of a copy. Written data are in the page cache, so all processes still
 * see them.
 *
 * A call that would fail without waiting still fails in the same way: the kernel checks the
 * arguments of sync_file_range and msync as usual, although there is nothing to wait for. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <libc-names.h>

#include "../intercept/guard.h"
#include "../intercept/sys/sys.h"
#include "remedies.h"

enum {
  RANGE_FLAGS = 7, /* all flags of sync_file_range: wait before, write, wait after */
  WRITE_FLAGS = 6  /* RWF_DSYNC and RWF_SYNC, which not every libc defines */
};

/* Returns 1 if the descriptor refers to a regular file, a folder or a block device, so that its
 * fsync may be omitted. Returns 0 for others, whose fsync must be called: for a socket, a pipe or a
 * closed descriptor it returns an error without waiting; a file that the kernel generates
 * (is_kernel_file) may do anything. */
static int can_wait(long fd) {
  return SYS4(SYS_sync_file_range, fd, 0, 0, 0) == 0 && !is_kernel_file((int)fd);
}

#define SYNCS(F) F(fsync) F(fdatasync) F(syncfs)
#define SYNC(name)                                                                                 \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    return can_wait(a) ? 0 : below_##name(a, b, c, d, e, f);                                       \
  }
SYNCS(SYNC)
#undef SYNC

static void (*below_sync)(void);
static void instead_of_sync(void) {}

static any_function *below_sync_file_range;
static long instead_of_sync_file_range(long a, long b, long c, long d, long e, long f) {
  return below_sync_file_range(a, b, c, d & ~(long)RANGE_FLAGS, e, f);
}

static any_function *below_msync;
static long instead_of_msync(long a, long b, long c, long d, long e, long f) {
  if ((c & (MS_SYNC | MS_ASYNC)) == MS_SYNC) c ^= MS_SYNC | MS_ASYNC;
  return below_msync(a, b, c, d, e, f);
}

#define VECTORS(F) F(pwritev2) F(pwritev64v2)
#define VECTOR(name)                                                                               \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    return below_##name(a, b, c, d, e & ~(long)WRITE_FLAGS, f);                                    \
  }
VECTORS(VECTOR)
#undef VECTOR

static long (*below_syscall)(long, long, long, long, long, long, long);
static long instead_of_syscall(long n, long a, long b, long c, long d, long e, long f) {
  int waits = n == SYS_fsync || n == SYS_fdatasync || n == SYS_syncfs;
  return waits && can_wait(a) ? 0 : below_syscall(n, a, b, c, d, e, f);
}

#define OPENS(name, flags, more)                                                                   \
  static any_function *below_##name;                                                               \
  static long instead_of_##name(long a, long b, long c, long d, long e, long f) {                  \
    long none = 0;                                                                                 \
    flags &= ~(long)(O_SYNC | O_DSYNC);                                                            \
    (void)none;                                                                                    \
    return below_##name(a, b, c, d, e, f);                                                         \
  }
#include "opens.def"
#undef OPENS

#define ROW(name) {#name, (void *)instead_of_##name, (void **)&below_##name},
const struct replacement durability_replacements[] = {
#define OPENS(name, flags, more) ROW(name)
#include "opens.def"
#undef OPENS
    SYNCS(ROW) VECTORS(ROW) ROW(sync) ROW(sync_file_range) ROW(msync)
        ROW(syscall){NULL, NULL, NULL},
};
