/* Texts of V8: strings and sources. */
#ifndef DARSHAN_V8_TEXT_H
#define DARSHAN_V8_TEXT_H

#include "v8-layout.h"

struct v8_text {
  uintptr_t bytes;
  size_t offset, length; /* in characters */
  unsigned width;        /* bytes of a character, 1 or 2 */
};
/* Finds the characters of a string. Returns true, or false if the value is not a string or has an
 * unknown form. Assumes that a string which V8 made by concatenation is flat, so that its first
 * part has all characters. */
bool v8_text_of(uintptr_t value, struct v8_text *text) __attribute__((visibility("hidden")));
/* Copies a text as UTF-8, with a NUL at its end, and replaces ASCII control characters and
 * characters above U+07FF by question marks. Ends at the first character that cannot be read.
 * Returns the length of the copy in bytes. Sets *is_cut if the text does not fit. */
size_t v8_copy(const struct v8_text *text, char *to, size_t room, bool *is_cut)
    __attribute__((visibility("hidden")));
/* Returns the number of the line that contains the character with this index of a source; 0 if the
 * source is shorter or cannot be read, or if the index is above 4 Mi. */
uint32_t v8_line(const struct v8_text *source, size_t position)
    __attribute__((visibility("hidden")));

#endif
