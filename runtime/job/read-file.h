/* Reads a small file whole, without libc. */
#ifndef DARSHAN_READ_FILE_H
#define DARSHAN_READ_FILE_H

#include <stddef.h>

struct darshan_file {
  char *bytes;   /* an anonymous mapping: writing to it does not reach the file */
  size_t length; /* bytes read; not NUL-terminated */
  size_t mapped;
};

/* Reads up to limit bytes of path.  Returns 0, to be released, or -errno
 * with *file as it was.  Devices and pipes are read until they would block. */
int darshan_read_file(struct darshan_file *file, const char *path, size_t limit);
void darshan_release_file(struct darshan_file *file);

#endif
