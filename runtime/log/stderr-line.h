/* Writes one line to standard error, without blocking and without ending the application. */
#ifndef DARSHAN_STDERR_LINE_H
#define DARSHAN_STDERR_LINE_H

#include <stddef.h>
#include <sys/stat.h>

/* st is that of descriptor 2. Returns 1 if the line was written, 0 if the pipe is full or has no
 * reader, or if the file may not grow. */
int say_on_stderr(const struct stat *st, const char *line, size_t length);

#endif
