/* Prints strings and numbers as JSON (values.h). */
#include "values.h"

#include <math.h>
#include <string.h>

size_t json_character(const unsigned char *text) {
  static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  size_t length = text[0] < 0x80   ? 1
                  : text[0] < 0xc2 ? 0
                  : text[0] < 0xe0 ? 2
                  : text[0] < 0xf0 ? 3
                                   : 4;
  if (length < 2) return length;
  if (text[0] > 0xf4) return 0;
  unsigned code = text[0] & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  int is_surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || is_surrogate || code > 0x10ffff ? 0 : length;
}

void json_string(FILE *out, const char *text) {
  if (!text) {
    fputs("null", out);
    return;
  }
  fputc('"', out);
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t length = json_character(at);
    if (length == 0)
      fprintf(out, "\\\\x%02x", *at);
    else if (*at == '"' || *at == '\\')
      fprintf(out, "\\%c", *at);
    else if (*at < ' ' || *at == 0x7f)
      fprintf(out, "\\u%04x", *at);
    else
      fwrite(at, 1, length, out);
    at += length ? length : 1;
  }
  fputc('"', out);
}

void json_number(FILE *out, double value) {
  if (isfinite(value))
    fprintf(out, "%.15g", value);
  else
    fputs("null", out);
}
