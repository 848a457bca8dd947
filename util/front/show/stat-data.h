/* The summary as data, for other programs. */
#ifndef DARSHAN_FRONT_STAT_DATA_H
#define DARSHAN_FRONT_STAT_DATA_H

#include <stdio.h>

#include "../summary/summary.h"

/* Prints one line of JSON. */
void stat_json(FILE *out, const struct picture *picture);

/* Prints a row per number: value, unit, name, with this text between them. */
void stat_rows(FILE *out, const struct picture *picture, const char *separator);

#endif
