/* What a command prints may not get there: a full disk, a closed descriptor.  Then it
 * must not end as if it had. */
#ifndef DARSHAN_WRITTEN_H
#define DARSHAN_WRITTEN_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The exit status of a command that has printed to this stream: 1 and one line on
 * stderr if something is missing there, else status. */
static inline int written(FILE *stream, const char *command, int status) {
  errno = 0;
  int failed = fflush(stream) != 0, error = errno;
  if (!failed && !ferror(stream)) return status;
  fprintf(stderr, "%s: cannot write: %s\n", command, strerror(error ? error : EIO));
  return 1;
}

#endif
