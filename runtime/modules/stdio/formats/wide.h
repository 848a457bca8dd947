/* Computes how many bytes wide characters take in the file of a stream. */
#ifndef DARSHAN_STDIO_WIDE_H
#define DARSHAN_STDIO_WIDE_H

#include <wchar.h>

#include "../stdio-module.h"

/* The encoding of a stream's characters in its file; 0: unknown yet. */
enum stdio_encoding {
  STDIO_LOCALE = 1, /* that of the caller's locale */
  STDIO_BYTE,
  STDIO_UTF8,
  STDIO_UTF16,
  STDIO_UCS4
};

/* Returns the number of bytes that the wide characters from `from` to `to` (exclusive) take in the
 * stream's file; 0 if the range is empty. A character that the encoding lacks counts as one byte.
 */
int64_t stdio_encoded(struct stdio_stream *stream, const wchar_t *from, const wchar_t *to);
static inline int64_t stdio_encoded_one(struct stdio_stream *stream, wint_t c) {
  wchar_t one = (wchar_t)c;
  return stdio_encoded(stream, &one, &one + 1);
}
static inline int64_t stdio_encoded_text(struct stdio_stream *stream, const wchar_t *text) {
  return stdio_encoded(stream, text, text + wcslen(text));
}
/* Returns the number of bytes of one character in the stream's file; 0 if that takes longer to
 * compute. */
static inline int64_t stdio_known_wide(const struct stdio_stream *stream, wchar_t c) {
  uint32_t code = (uint32_t)c;
  if (stream->encoding == STDIO_UTF8) return 1 + (code > 0x7f) + (code > 0x7ff) + (code > 0xffff);
  return stream->encoding == STDIO_BYTE;
}
/* The same for the character that is next in libc's buffer; also 0 if there is none. */
static inline int64_t stdio_next_wide(const struct stdio_stream *stream) {
  const wchar_t *next = stream_next_wide(stream->file);
  return next ? stdio_known_wide(stream, *next) : 0;
}
/* Sets the encoding of a recorded stream if the mode of its open names a known one (",ccs=UTF-8").
 * Otherwise it stays unknown until the first wide call. */
void stdio_encoding_opened(FILE *file, const char *mode);

#endif
