/* Computes how many bytes wide characters take in the file of a stream, by its encoding (wide.h).
 */
#include "wide.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* MB_CUR_MAX of glibc in UTF-8; no other encoding has this value. */
enum { UTF8_MAX = 6 };

/* Returns the stream's encoding; if it is unknown, that of the current locale. */
static uint32_t encoding_of(struct stdio_stream *stream) {
  if (stream->encoding) return stream->encoding;
  size_t most = MB_CUR_MAX;
  uint32_t encoding = most == 1 ? STDIO_BYTE : most == UTF8_MAX ? STDIO_UTF8 : STDIO_LOCALE;
  /* Stores the encoding, which is fixed at the first wide call of the stream. */
  if (stream_is_wide(stream->file)) stream->encoding = (uint8_t)encoding;
  return encoding;
}

static int64_t in_utf8(const wchar_t *from, const wchar_t *to) {
  int64_t bytes = to - from;
  for (; from < to; from++) {
    uint32_t c = (uint32_t)*from;
    bytes += (c > 0x7f) + (c > 0x7ff) + (c > 0xffff);
  }
  return bytes;
}

static int64_t in_utf16(const wchar_t *from, const wchar_t *to) {
  int64_t bytes = 2 * (to - from);
  for (; from < to; from++)
    bytes += (uint32_t)*from > 0xffff ? 2 : 0;
  return bytes;
}

static int64_t in_locale(const wchar_t *from, const wchar_t *to) {
  int64_t bytes = 0;
  int saved = errno;
  for (; from < to; from++) {
    char one[MB_LEN_MAX];
    mbstate_t state = {0};
    size_t n = wcrtomb(one, *from, &state);
    bytes += n == (size_t)-1 ? 1 : (int64_t)n;
  }
  errno = saved;
  return bytes;
}

int64_t stdio_encoded(struct stdio_stream *stream, const wchar_t *from, const wchar_t *to) {
  if (from >= to) return 0;
  switch (encoding_of(stream)) {
  case STDIO_BYTE:
    return to - from;
  case STDIO_UTF8:
    return in_utf8(from, to);
  case STDIO_UTF16:
    return in_utf16(from, to);
  case STDIO_UCS4:
    return 4 * (to - from);
  default:
    return in_locale(from, to);
  }
}

void stdio_encoding_opened(FILE *file, const char *mode) {
  static const struct {
    const char *name;
    enum stdio_encoding encoding;
  } names[] = {{"UTF-8", STDIO_UTF8},    {"UTF8", STDIO_UTF8},      {"UTF-16", STDIO_UTF16},
               {"UTF16", STDIO_UTF16},   {"UNICODE", STDIO_UTF16},  {"UCS-2", STDIO_UTF16},
               {"UCS2", STDIO_UTF16},    {"UTF-32", STDIO_UCS4},    {"UTF32", STDIO_UCS4},
               {"UCS-4", STDIO_UCS4},    {"UCS4", STDIO_UCS4},      {"WCHAR_T", STDIO_UCS4},
               {"ISO-8859", STDIO_BYTE}, {"ISO8859", STDIO_BYTE},   {"LATIN", STDIO_BYTE},
               {"ASCII", STDIO_BYTE},    {"ANSI_X3.4", STDIO_BYTE}, {"CP125", STDIO_BYTE}};
  const char *text = strstr(mode, ",ccs=");
  struct stdio_stream *stream = text ? stdio_stream_of(file) : NULL;
  if (!stream) return;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strncasecmp(text + 5, names[i].name, strlen(names[i].name)) == 0) {
      stream->encoding = (uint8_t)names[i].encoding;
      return;
    }
}
