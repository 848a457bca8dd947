/* Builds a string in a buffer of fixed size.  Does not use stdio, because the runtime may run in
 * the first constructor or in a signal handler.  A number or name that does not fit is dropped,
 * never truncated. */
#ifndef DARSHAN_TEXT_H
#define DARSHAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct darshan_text {
  char *bytes;   /* always NUL-terminated */
  size_t room;   /* including the NUL */
  size_t length; /* without the NUL */
  bool overflow; /* an addition did not fit, and all later ones are dropped */
};

/* Returns an empty string that will be built in out; room is at least 1. */
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

/* Returns the length of the finished string, 0 if it did not fit. */
static inline size_t darshan_text_length(const struct darshan_text *text) {
  return text->overflow ? 0 : text->length;
}

#endif
