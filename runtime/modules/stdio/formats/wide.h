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

/* Returns the number of bytes that the wide characters from `from` to `to` take in the stream's
 * file; 0 if the range is empty. */
int64_t stdio_encoded(struct stdio_stream *stream, const wchar_t *from, const wchar_t *to);
static inline int64_t stdio_encoded_one(struct stdio_stream *stream, wint_t c) {
  wchar_t one = (wchar_t)c;
  return stdio_encoded(stream, &one, &one + 1);
}
static inline int64_t stdio_encoded_text(struct stdio_stream *stream, const wchar_t *text) {
  return stdio_encoded(stream, text, text + wcslen(text));
}
/* Sets the encoding if the mode of an open names one (",ccs="). */
void stdio_encoding_opened(FILE *file, const char *mode);

#endif
