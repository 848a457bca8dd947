/* Where the new log goes: a file that was not there before and appears when it is
 * complete, or standard output, or a device or pipe that has a name. */
#ifndef DARSHAN_CONVERT_OUTPUT_H
#define DARSHAN_CONVERT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct output_file {
  int fd;              /* of the unfinished file, which can be read, too */
  const char *name;    /* "-": standard output */
  bool through;        /* it is a device or a pipe, which gets all of it at the end */
  char made[PATH_MAX]; /* the unfinished file; "": it has no name */
};

/* All return 0, or -1 after a line that says why not. */
int output_file_open(struct output_file *out, const char *name);
int output_file_put(struct output_file *out, const void *bytes, size_t n, uint64_t at);
/* complete 0: nothing remains. */
int output_file_close(struct output_file *out, int complete);

#endif
