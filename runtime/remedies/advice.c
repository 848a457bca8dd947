/* The remedies will-need, random and sequential: when the program opens a file for reading, they
 * advise the kernel how the program will read it, as posix_fadvise does. */
#include <fcntl.h>
#include <sys/stat.h>

#include "../intercept/sys/sys.h"
#include "remedies.h"

#define REMEDY "advice" /* its value is that of a POSIX_FADV_... constant */

/* Advises the kernel that the whole file will be needed, in pieces: for one call with
 * POSIX_FADV_WILLNEED, Linux reads at most the device's read-ahead (read_ahead_kb, mostly 128 KiB)
 * or largest transfer (max_sectors_kb), whichever is more. */
void advice_need(int fd) {
  enum { PIECE = 128 << 10 };
  struct stat st;
  if (sys_fstat(fd, &st) < 0) return;
  for (off_t at = 0; at < st.st_size; at += PIECE)
    SYS4(SYS_fadvise64, fd, at, PIECE, POSIX_FADV_WILLNEED);
}

void advice_opened(int fd, int flags) {
  uint64_t advice = remedy_value(REMEDY);
  if (!advice || fd < FIRST_OWN || (flags & O_ACCMODE) == O_WRONLY) return;
  if (advice == POSIX_FADV_WILLNEED)
    advice_need(fd);
  else
    SYS4(SYS_fadvise64, fd, 0, 0, advice);
}
