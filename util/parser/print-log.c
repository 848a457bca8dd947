/* Prints a log on standard output: what the parsers have in common. */
#include "print-log.h"

#include "../reader/called.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int print_log(const char *program, const char *path, print_content *print, const void *options) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) {
    fprintf(stderr, "%s: %s: %s\n", called_as(program), path, error.text);
    return 1;
  }
  struct output out;
  if (output_open(&out, STDOUT_FILENO) != 0) {
    fprintf(stderr, "%s: cannot read %s: out of memory\n", called_as(program), path);
    darshan_log_free(log);
    return 1;
  }
  int status = print(log, options, &out);
  int write_error = output_close(&out);
  if (write_error) {
    fprintf(stderr, "%s: cannot write to standard output: %s\n", called_as(program),
            strerror(write_error));
    status = 1;
  }
  darshan_log_free(log);
  return status;
}
