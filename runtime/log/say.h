/* One line on standard error, for which no program waits and by which none ends. */
#ifndef DARSHAN_SAY_H
#define DARSHAN_SAY_H

#include <stddef.h>
#include <sys/stat.h>

/* st: what descriptor 2 is.  1: the line is there; 0: there was no room for it, nobody
 * to read it, or it is not allowed. */
int say_on_stderr(const struct stat *st, const char *line, size_t length);

#endif
