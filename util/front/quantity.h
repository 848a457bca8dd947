/* Numbers short enough for a column of a terminal. */
#ifndef DARSHAN_FRONT_QUANTITY_H
#define DARSHAN_FRONT_QUANTITY_H

#include <stdint.h>

enum { QUANTITY_ROOM = 32 };

/* Bytes in three significant digits, powers of 1024: "322 B", "1.50 KiB"; "?"
 * if negative or not a number.  Returns out or a constant, as all of these do. */
const char *quantity_bytes(char out[QUANTITY_ROOM], double bytes);

/* Seconds in three significant digits: "23 µs" (UTF-8), "1.50 s", "28 h". */
const char *quantity_seconds(char out[QUANTITY_ROOM], double value);

/* A count, in millions and more where it is long: "9999999", "12M". */
const char *quantity_count(char out[QUANTITY_ROOM], int64_t value);

/* part / whole: "0.05", "24.1", "1234"; "-" where nothing is divided or by nothing. */
const char *quantity_ratio(char out[QUANTITY_ROOM], double part, double whole);

/* part of whole: "37%"; "-" where there is no whole. */
const char *quantity_share(char out[QUANTITY_ROOM], double part, double whole);

/* The same as the report says it: "4.3 %", "< 0.1 %", "100 %". */
const char *quantity_percent(char out[QUANTITY_ROOM], double part, double whole);

#endif
