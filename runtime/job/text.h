/* Builds text in a buffer of fixed size, without stdio: the runtime may be
 * inside the program's first constructor or a signal handler.  What does not
 * fit is dropped whole, so a number or a name is never cut in two. */
#ifndef DARSHAN_TEXT_H
#define DARSHAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct darshan_text {
  char *bytes;   /* always NUL-terminated */
  size_t room;   /* with the NUL */
  size_t length; /* without it */
  bool overflow; /* something did not fit; nothing is added any more */
};

/* Starts an empty text in out; room is at least 1. */
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

/* Length of the finished text, 0 if it did not fit. */
static inline size_t darshan_text_length(const struct darshan_text *text) {
  return text->overflow ? 0 : text->length;
}

#endif
