/* Values of JSON. */
#ifndef DARSHAN_FRONT_JSON_H
#define DARSHAN_FRONT_JSON_H

#include <stdio.h>

/* Prints a string with quotes, or null for NULL. A byte that is not UTF-8 becomes the text \xNN. */
void json_string(FILE *out, const char *text);

/* Prints a number, or null if it is not finite. */
void json_number(FILE *out, double value);

#endif
