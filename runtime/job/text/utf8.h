/* Checks and replaces bytes for readers, which accept valid UTF-8 without control bytes. */
#ifndef DARSHAN_UTF8_H
#define DARSHAN_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the number of bytes of the UTF-8 character at text, 0 if it is invalid (truncated,
 * overlong, a surrogate, or above U+10FFFF).  length: remaining bytes, at least 1. */
size_t darshan_utf8_length(const char *text, size_t length);

/* Returns true if text is valid UTF-8 and has no control bytes. */
bool darshan_utf8_clean(const char *text, size_t length);

/* Replaces bytes in place: white space becomes a blank, other control bytes and invalid UTF-8
 * become question marks. */
void darshan_utf8_make_clean(char *text, size_t length);

#endif
