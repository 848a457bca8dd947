/* Text that every reader accepts: valid UTF-8 without control bytes. */
#ifndef DARSHAN_UTF8_H
#define DARSHAN_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at text, 0 if there is none (cut off, overlong,
 * a surrogate, or above U+10FFFF).  length: bytes left, at least 1. */
size_t darshan_utf8_length(const char *text, size_t length);

/* True if text is valid UTF-8 and has no control bytes. */
bool darshan_utf8_clean(const char *text, size_t length);

/* Makes it so, byte for byte: white space becomes a blank, other control bytes
 * and what is not UTF-8 become question marks. */
void darshan_utf8_make_clean(char *text, size_t length);

#endif
