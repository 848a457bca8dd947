/* Declares functions that format numbers exactly like printf, but several times faster. Each
 * function writes at `to`, without NUL, and returns the end of the text. */
#ifndef DARSHAN_NUMBERS_H
#define DARSHAN_NUMBERS_H

#include <stdint.h>

enum { NUMBER_MAX = 328 }; /* bytes that suffice for the longest text, "%f" of -DBL_MAX */

char *number_unsigned(char *to, uint64_t value); /* %lu */
char *number_signed(char *to, int64_t value);    /* %ld */
char *number_fixed(char *to, double value);      /* %f */

/* Write the value right-aligned, with blanks on the left. width: characters of the column, at most
 * 40; a longer number is not cut. Both return the end of the text. */
char *number_column(char *to, int width, int64_t value);       /* %*ld */
char *number_fixed4_column(char *to, int width, double value); /* %*.4f */

#endif
