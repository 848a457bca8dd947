/* Reads a small file completely, without libc. */
#ifndef DARSHAN_READ_FILE_H
#define DARSHAN_READ_FILE_H

#include <stddef.h>

struct darshan_file {
  char *bytes;   /* an anonymous mapping: writing to it does not reach the file */
  size_t length; /* bytes read; not NUL-terminated */
  size_t mapped;
};

/* Reads up to limit bytes of path.  Returns 0, and the caller must release the file, or -errno with
 * *file unchanged.  A device or pipe that would block is an error. */
int darshan_read_file(struct darshan_file *file, const char *path, size_t limit);
void darshan_release_file(struct darshan_file *file);

#endif
