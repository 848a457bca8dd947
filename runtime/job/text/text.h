/* Text without libc: strings in buffers of fixed size, UTF-8, and small files. */
#ifndef DARSHAN_TEXT_H
#define DARSHAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A string that is built in a buffer of fixed size. Does not use stdio, because the runtime may run
 * in the first constructor or in a signal handler. A number or name that does not fit is dropped,
 * never truncated. */

struct darshan_text {
  char *bytes;   /* always NUL-terminated */
  size_t room;   /* including the NUL */
  size_t length; /* without the NUL */
  bool overflow; /* an addition did not fit, and all later ones are dropped */
};

/* Returns an empty string that will be built in out; room, the size of out, is at least 1. */
static inline struct darshan_text darshan_text_in(char *out, size_t room) {
  out[0] = '\0';
  return (struct darshan_text){.bytes = out, .room = room};
}

static inline void darshan_text_bytes(struct darshan_text *text, const char *bytes, size_t n) {
  if (text->overflow || n >= text->room - text->length) {
    text->overflow = true;
    return;
  }
  memcpy(text->bytes + text->length, bytes, n);
  text->length += n;
  text->bytes[text->length] = '\0';
}

static inline void darshan_text_add(struct darshan_text *text, const char *string) {
  darshan_text_bytes(text, string, strlen(string));
}

static inline void darshan_text_unsigned(struct darshan_text *text, uint64_t value) {
  char digits[20];
  size_t at = sizeof(digits);
  do
    digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  darshan_text_bytes(text, digits + at, sizeof(digits) - at);
}

static inline void darshan_text_signed(struct darshan_text *text, int64_t value) {
  if (value < 0) darshan_text_bytes(text, "-", 1);
  darshan_text_unsigned(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Returns the length of the finished string, or 0 if an addition did not fit. */
static inline size_t darshan_text_length(const struct darshan_text *text) {
  return text->overflow ? 0 : text->length;
}

/* Checks and replaces bytes, because readers accept only valid UTF-8 without control bytes. */

/* Returns the number of bytes of the UTF-8 character at text, or 0 if it is invalid (truncated,
 * overlong, a surrogate, or above U+10FFFF). length: remaining bytes, at least 1. */
size_t darshan_utf8_length(const char *text, size_t length);

/* Returns true if text is valid UTF-8 and has no control bytes, otherwise false. */
bool darshan_utf8_clean(const char *text, size_t length);

/* Replaces bytes in place: tabs, newlines and other control bytes that are white space become
 * blanks; other control bytes and invalid UTF-8 become question marks. */
void darshan_utf8_make_clean(char *text, size_t length);

/* Reads a small file completely, without libc. */

struct darshan_file {
  char *bytes;   /* an anonymous mapping: writing to it does not reach the file */
  size_t length; /* bytes read; not NUL-terminated */
  size_t mapped;
};

/* Reads up to limit bytes of path.  Returns 0, and the caller must release the file, or -errno with
 * *file unchanged.  A device or pipe that would block is an error. */
int darshan_read_file(struct darshan_file *file, const char *path, size_t limit);
void darshan_release_file(struct darshan_file *file);

#endif
