/* Values of JSON. */
#ifndef DARSHAN_FRONT_JSON_H
#define DARSHAN_FRONT_JSON_H

#include <stdio.h>

/* Returns the length of the UTF-8 character at text, or 0 if there is none. */
size_t json_character(const unsigned char *text);

/* Prints a string with quotes, or null for NULL. A byte that is not UTF-8 becomes the text \xNN. */
void json_string(FILE *out, const char *text);

/* Prints a number, or null if it is not finite. */
void json_number(FILE *out, double value);

#endif
