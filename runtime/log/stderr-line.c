/* Writes one line to standard error without blocking. */
#include "write.h"

#include <sys/socket.h>
#include <time.h>

#include "../intercept/signals/signals.h"
#include "../intercept/sys/sys.h"

enum { DESCRIPTOR = 2 };

/* Returns 1 if writing a line to descriptor 2 does not block, else 0: a full pipe could block the
 * application forever. Uses pselect, because poll accepts no descriptor if the application's limit
 * of descriptors is 0. */
static int takes_a_line(void) {
  uint64_t writes = UINT64_C(1) << DESCRIPTOR;
  struct timespec at_once = {0, 0};
  return sys_call(SYS_pselect6, DESCRIPTOR + 1, 0, (long)&writes, 0, (long)&at_once, 0) == 1;
}

/* Returns 1 if the file at descriptor 2 may grow by length bytes: a write beyond the application's
 * file size limit would raise SIGXFSZ. Otherwise returns 0. */
static int may_grow(const struct stat *st, size_t length) {
  long at = SYS3(SYS_lseek, DESCRIPTOR, 0, SEEK_CUR);
  size_t end = at > st->st_size ? (size_t)at : (size_t)st->st_size;
  return sys_may_grow_to(end + length);
}

static long put(const struct stat *st, const char *line, size_t length) {
  if (S_ISSOCK(st->st_mode))
    return sys_call(SYS_sendto, DESCRIPTOR, (long)line, (long)length, MSG_DONTWAIT | MSG_NOSIGNAL,
                    0, 0);
  if (S_ISREG(st->st_mode) ? !may_grow(st, length) : !takes_a_line()) return 0;
  return sys_write(DESCRIPTOR, line, length);
}

/* Writes the line; write.h describes the result. The reader of a pipe may exit between the check
 * and the write. The resulting signal is removed from the pending signals, unless it was pending
 * before. */
int say_on_stderr(const struct stat *st, const char *line, size_t length) {
  uint64_t ours = UINT64_C(1) << (SIGPIPE - 1) | UINT64_C(1) << (SIGXFSZ - 1), waited = 0;
  uint64_t mask = signals_block();
  struct timespec at_once = {0, 0};
  SYS2(SYS_rt_sigpending, &waited, sizeof(waited));
  long result = put(st, line, length);
  ours &= ~waited;
  if (result < 0) SYS4(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof(ours));
  signals_restore(mask);
  return result > 0;
}
