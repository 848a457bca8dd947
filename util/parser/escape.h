/* Escapes text of a log for printing. A name may hold any byte: a tab or newline would forge
 * columns and rows, and an escape sequence would control the terminal. */
#ifndef DARSHAN_PARSER_ESCAPE_H
#define DARSHAN_PARSER_ESCAPE_H

#include <stddef.h>

/* Returns the length of the escaped text, without NUL: \t, \n, or \xHH for the bytes of control
 * characters, including C1 controls, which have two bytes in UTF-8. Other text is not changed. */
size_t foreign_length(const char *text);

/* Writes the escaped text, without NUL, and returns its end. */
char *foreign_put(char *to, const char *text);

#endif
