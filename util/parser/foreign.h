/* Text that a log brings along, made fit to print: a name can hold any byte, and
 * a tab or a newline in it would forge columns and rows, an escape sequence
 * steer the terminal. */
#ifndef DARSHAN_PARSER_FOREIGN_H
#define DARSHAN_PARSER_FOREIGN_H

#include <stddef.h>

/* Length of the text when it is escaped, without a NUL: \t, \n, \xHH for control
 * characters, those that UTF-8 writes with two bytes (C1) included.  Text
 * without any stays as it is. */
size_t foreign_length(const char *text);

/* Writes the escaped text to a place with that much room and tells its end. */
char *foreign_put(char *to, const char *text);

#endif
