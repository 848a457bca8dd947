/* Implements buffered output (output.h). */
#include "output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int output_open(struct output *out, int fd) {
  out->fd = fd;
  out->take = NULL;
  out->error = 0;
  out->buffer = malloc(OUTPUT_LONGEST + OUTPUT_SLACK);
  out->next = out->buffer;
  out->limit = out->buffer + OUTPUT_SIZE;
  return out->buffer ? 0 : -1;
}

static void write_all(struct output *out, const char *bytes, size_t n) {
  if (out->take) {
    if (!out->error) out->error = out->take(out->context, bytes, n);
    return;
  }
  while (n > 0 && !out->error) {
    ssize_t written = write(out->fd, bytes, n);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      out->error = errno;
      return;
    }
    bytes += written;
    n -= (size_t)written;
  }
}

void output_flush(struct output *out) {
  write_all(out, out->buffer, (size_t)(out->next - out->buffer));
  out->next = out->buffer;
}

int output_close(struct output *out) {
  output_flush(out);
  free(out->buffer);
  return out->error;
}

void output_bytes(struct output *out, const char *bytes, size_t n) {
  if (out->limit - out->next < (ptrdiff_t)n) output_flush(out);
  if (n > OUTPUT_SIZE) {
    write_all(out, bytes, n);
    return;
  }
  memcpy(out->next, bytes, n);
  out->next += n;
}

void output_text(struct output *out, const char *text) {
  output_bytes(out, text, strlen(text));
}

void output_foreign(struct output *out, const char *text) {
  size_t n = foreign_length(text);
  if (n <= OUTPUT_LONGEST) out->next = foreign_put(output_room(out, n), text);
}

void output_printf(struct output *out, const char *format, ...) {
  char line[2048]; /* the rest of a longer line is cut off */
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  if (n > 0) output_bytes(out, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

/* Returns true for the UTF-8 form of U+0080 to U+009F. The second byte alone could be part of a
 * letter. */
static bool is_c1(const unsigned char *at) {
  return at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f;
}

static bool is_control(const unsigned char *at) {
  return at[0] < ' ' || at[0] == 0x7f || is_c1(at);
}

size_t foreign_length(const char *text) {
  size_t length = 0;
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    if (!is_control(at)) {
      length++;
    } else if (*at == '\t' || *at == '\n') {
      length += 2;
    } else if (is_c1(at)) {
      length += 8;
      at++;
    } else {
      length += 4;
    }
  }
  return length;
}

static char *put_byte(char *to, unsigned char byte) {
  static const char digits[] = "0123456789abcdef";
  *to++ = '\\';
  *to++ = 'x';
  *to++ = digits[byte >> 4];
  *to++ = digits[byte & 15];
  return to;
}

char *foreign_put(char *to, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
    if (!is_control(at)) {
      *to++ = (char)*at;
    } else if (*at == '\t' || *at == '\n') {
      *to++ = '\\';
      *to++ = *at == '\t' ? 't' : 'n';
    } else {
      to = put_byte(to, *at);
      if (at[0] == 0xc2) to = put_byte(to, *++at);
    }
  }
  return to;
}
