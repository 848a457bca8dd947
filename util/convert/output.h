/* The output of darshan-convert: messages, and the new log. */
#ifndef DARSHAN_CONVERT_OUTPUT_H
#define DARSHAN_CONVERT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints a message like printf on stderr, with the command's name before and a newline after it.
 * Returns -1, so that the caller can return the result. */
int convert_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The output: a new file that appears when it is complete, standard output, a device or a named
 * pipe. */

struct output_file {
  int fd;              /* descriptor of the unfinished file, which is also read */
  const char *name;    /* "-": standard output */
  bool through;        /* a device or a pipe, to which the complete log is copied at the end */
  char made[PATH_MAX]; /* path of the unfinished file; "": it has no path */
};

/* output_file_open begins an output with this name ("-": standard output), and fails if a file or
 * folder has the name. `name` must stay valid. output_file_put writes n bytes at offset `at` of the
 * unfinished file. Both return 0, or -1 after a message. */
int output_file_open(struct output_file *out, const char *name);
int output_file_put(struct output_file *out, const void *bytes, size_t n, uint64_t at);
/* complete 1: gives the file its name, or copies it to the device or pipe, and closes it. complete
 * 0: removes it. Returns 0, or -1 after a message; then a file is also removed. */
int output_file_close(struct output_file *out, int complete);

#endif
