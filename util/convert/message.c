/* Prints messages of the command: one line each, on stderr. */
#include "output.h"

#include <stdarg.h>
#include <stdio.h>

#include "../reader/called.h"

int convert_say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", called_as("darshan-convert"));
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return -1;
}
