/* The remedies will-need, random and sequential: advise the kernel how the program reads a file, as
 * posix_fadvise does, when the program has opened the file for reading. */
#include <fcntl.h>

#include "../intercept/sys/sys.h"
#include "remedies.h"

#define REMEDY "advice" /* its value is that of POSIX_FADV_... */

void advice_opened(int fd, int flags) {
  uint64_t advice = remedy_value(REMEDY);
  if (!advice || fd < FIRST_OWN || (flags & O_ACCMODE) == O_WRONLY) return;
  SYS4(SYS_fadvise64, fd, 0, 0, advice);
}
