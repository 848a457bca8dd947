/* Formats numbers exactly like printf, several times faster. Each function writes at `to`, without
 * NUL, and returns the end. */
#ifndef DARSHAN_NUMBERS_H
#define DARSHAN_NUMBERS_H

#include <stdint.h>

enum { NUMBER_MAX = 328 }; /* length of the longest, "%f" of -DBL_MAX */

char *number_unsigned(char *to, uint64_t value); /* %lu */
char *number_signed(char *to, int64_t value);    /* %ld */
char *number_fixed(char *to, double value);      /* %f */

/* Writes the value right-aligned in blanks, widths up to 40. Returns the end. */
char *number_column(char *to, int width, int64_t value);       /* %*ld */
char *number_fixed4_column(char *to, int width, double value); /* %*.4f */

#endif
