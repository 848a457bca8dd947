/* The output of darshan-convert: messages, and the new log. */
#ifndef DARSHAN_CONVERT_OUTPUT_H
#define DARSHAN_CONVERT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints a line with the name of the command on stderr. Returns -1, so that the caller can return
 * the result. */
int convert_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The output: a new file that appears when it is complete, standard output, a device or a named
 * pipe. */

struct output_file {
  int fd;              /* descriptor of the unfinished file, which is also read */
  const char *name;    /* "-": standard output */
  bool through;        /* a device or a pipe, to which the complete log is copied at the end */
  char made[PATH_MAX]; /* path of the unfinished file; "": it has no path */
};

/* output_file_open begins an output with this name ("-": standard output), which must not be that
 * of an existing file or folder; output_file_put writes n bytes at offset `at`. Return 0, or -1
 * after a message. */
int output_file_open(struct output_file *out, const char *name);
int output_file_put(struct output_file *out, const void *bytes, size_t n, uint64_t at);
/* Closes the file and gives it its name, or removes it if complete is 0. Returns 0, or -1 after a
 * message. */
int output_file_close(struct output_file *out, int complete);

#endif
