/* The variable of the study: float temperature(time, lat, lon), with the same values in every
 * file. */
#ifndef CHUNK_CACHE_FIELD_H
#define CHUNK_CACHE_FIELD_H

#include <stddef.h>

enum { FIELD_LAT = 128, FIELD_LON = 256, FIELD_PLANE = FIELD_LAT * FIELD_LON };
#define FIELD_NAME "temperature"

/* Fills the plane of a time step: FIELD_PLANE values, row by row. */
void field_plane(size_t step, float *plane);

/* Parses a number, at least 0. Ends the program with status 2 and a message if the text is not
 * one. */
size_t field_number(const char *text);

#endif
