/* Writes one line to standard error, without blocking and without ending the application. */
#ifndef DARSHAN_STDERR_LINE_H
#define DARSHAN_STDERR_LINE_H

#include <stddef.h>
#include <sys/stat.h>

/* Writes a line to descriptor 2, whose status is st. Returns 1 if it was written, 0 if the pipe
 * is full or has no reader, or if the file may not grow. */
int say_on_stderr(const struct stat *st, const char *line, size_t length);

#endif
