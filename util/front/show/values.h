/* Formats values as text: for narrow columns of a terminal, and as JSON. */
#ifndef DARSHAN_FRONT_VALUES_H
#define DARSHAN_FRONT_VALUES_H

#include <stdint.h>
#include <stdio.h>

enum { QUANTITY_ROOM = 32 }; /* bytes of a formatted number, with NUL */

/* Formats bytes in powers of 1024, from 1 KiB on with three significant digits: "322 B", "1.50
 * KiB"; "?" if negative or NaN. Returns the text, for which `out` is the buffer. */
const char *quantity_bytes(char out[QUANTITY_ROOM], double bytes);

/* Formats seconds, below 100 with up to three significant digits and above in whole seconds or
 * hours: "23 µs" (UTF-8), "1.50 s", "4711 s", "28 h"; "?" for a number below 0, NaN, or a million
 * hours and more. Returns the text, for which `out` is the buffer. */
const char *quantity_seconds(char out[QUANTITY_ROOM], double value);

/* Formats a count, from 10 million on with a unit: "9999999", "12M". Returns the text, for which
 * `out` is the buffer. */
const char *quantity_count(char out[QUANTITY_ROOM], int64_t value);

/* Formats the ratio part / whole: "0.05", "24.1", "1234", "> 1e7"; "-" unless both are positive.
 * Returns the text, for which `out` is the buffer. */
const char *quantity_ratio(char out[QUANTITY_ROOM], double part, double whole);

/* Formats part as a percentage of whole: "37%"; "-" if whole is not positive, or part is negative
 * or larger than whole. Returns the text, for which `out` is the buffer. */
const char *quantity_share(char out[QUANTITY_ROOM], double part, double whole);

/* Formats part as a percentage of whole, in the report's form: "4.3 %", "< 0.1 %", "100 %"; "-" for
 * invalid values. Returns the text, for which `out` is the buffer. */
const char *quantity_percent(char out[QUANTITY_ROOM], double part, double whole);

/* Returns the length of the UTF-8 character at text; 0 if the bytes are not valid UTF-8. */
size_t json_character(const unsigned char *text);

/* Prints a string in quotes; null if text is NULL. Replaces a byte that is not UTF-8 by the text
 * \xNN. */
void json_string(FILE *out, const char *text);

/* Prints a number, or null if it is not finite. */
void json_number(FILE *out, double value);

#endif
