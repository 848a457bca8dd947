/* The variable of the study, float t(time, lat, lon), whose values follow from the position, so
 * that all programs know them. */
#ifndef CHUNK_CACHE_FIELD_H
#define CHUNK_CACHE_FIELD_H

#include <stddef.h>

enum { FIELD_LAT = 128, FIELD_LON = 256, FIELD_PLANE = FIELD_LAT * FIELD_LON };
#define FIELD_NAME "temperature"

/* Fills the plane of a time step: FIELD_PLANE values, row by row. step: counted from 0. */
void field_plane(size_t step, float *plane);

/* Returns the number in a text, at least 0; ends the program with a message if the text is not a
 * number. */
size_t field_number(const char *text);

#endif
