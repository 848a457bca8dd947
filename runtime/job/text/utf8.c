/* Validates UTF-8 and replaces invalid bytes (text.h). */
#include "text.h"

size_t darshan_utf8_length(const char *text, size_t length) {
  unsigned char first = (unsigned char)text[0];
  if (first < 0x80) return 1;
  size_t n = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (n == 0 || n > length) return 0;
  for (size_t i = 1; i < n; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80) return 0;
  unsigned char second = (unsigned char)text[1];
  bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : n;
}

static bool is_control(char c) {
  return (unsigned char)c < ' ' || c == 127;
}

bool darshan_utf8_clean(const char *text, size_t length) {
  for (size_t i = 0, n; i < length; i += n) {
    n = darshan_utf8_length(text + i, length - i);
    if (n == 0 || is_control(text[i])) return false;
  }
  return true;
}

void darshan_utf8_make_clean(char *text, size_t length) {
  for (size_t i = 0, n; i < length; i += n) {
    n = darshan_utf8_length(text + i, length - i);
    if (n == 0 || is_control(text[i])) text[i] = text[i] >= '\t' && text[i] <= '\r' ? ' ' : '?';
    if (n == 0) n = 1;
  }
}
