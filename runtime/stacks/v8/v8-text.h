/* Texts of V8. */
#ifndef DARSHAN_V8_TEXT_H
#define DARSHAN_V8_TEXT_H

#include "v8-layout.h"

struct v8_text {
  uintptr_t bytes;
  size_t offset, length; /* in characters */
  unsigned width;        /* bytes of a character, 1 or 2 */
};
/* Finds the characters of a string. Returns false if the value is not a string, or one whose
 * characters are in several places. */
bool v8_text_of(uintptr_t value, struct v8_text *text) __attribute__((visibility("hidden")));
/* Copies a text as UTF-8, with a NUL at its end; characters that cannot be shown become a question
 * mark. Returns its length. *is_cut is set if it does not fit. */
size_t v8_copy(const struct v8_text *text, char *to, size_t room, bool *is_cut)
    __attribute__((visibility("hidden")));
/* Returns the line of a character in a source; 0 if it cannot be read, or is beyond 4 MiB. */
uint32_t v8_line(const struct v8_text *source, size_t position)
    __attribute__((visibility("hidden")));

#endif
