/* Escapes untrusted text; see escape.h. */
#include "escape.h"

#include <stdbool.h>
#include <string.h>

/* Returns true for U+0080 to U+009F in UTF-8. The second byte alone could be part of a letter. */
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
