/* The remedies will-need, random and sequential: when the program opens a file for reading, they
 * advise the kernel how the program will read it, as posix_fadvise does. */
#include <fcntl.h>

#include "../intercept/sys/sys.h"
#include "remedies.h"

#define REMEDY "advice" /* its value is that of a POSIX_FADV_... constant */

void advice_opened(int fd, int flags) {
  uint64_t advice = remedy_value(REMEDY);
  if (!advice || fd < FIRST_OWN || (flags & O_ACCMODE) == O_WRONLY) return;
  SYS4(SYS_fadvise64, fd, 0, 0, advice);
}
