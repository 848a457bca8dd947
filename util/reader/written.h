/* Checks a command's output: on a full disk or a closed descriptor, the command must fail. */
#ifndef DARSHAN_WRITTEN_H
#define DARSHAN_WRITTEN_H

#include "called.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Returns the exit status of a command that printed to this stream: `status`, or 1 after a message
 * if the output is incomplete. */
static inline int written(FILE *stream, const char *command, int status) {
  errno = 0;
  int failed = fflush(stream) != 0, error = errno;
  if (!failed && !ferror(stream)) return status;
  fprintf(stderr, "%s: cannot write to standard output: %s\n", called_as(command),
          strerror(error ? error : EIO));
  return 1;
}

#endif
