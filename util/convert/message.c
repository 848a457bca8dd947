/* See message.h. */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

int convert_say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("darshan-convert: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return -1;
}
