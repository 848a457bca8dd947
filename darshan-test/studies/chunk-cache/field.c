/* Generates values similar to those of a climate model: smooth in space and time, with noise in the
 * low bits, so that deflate reduces their size only partially. */
#include "field.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns a triangle wave at a position, from 0 to 0.5; its bits are the same on every machine,
 * unlike a sine's. */
static float wave(size_t at, size_t period) {
  size_t phase = at % period;
  size_t up = phase < period - phase ? phase : period - phase;
  return (float)up / (float)period;
}

void field_plane(size_t step, float *plane) {
  uint32_t noise = (uint32_t)step * 2654435761u + 1;
  for (size_t lat = 0; lat < FIELD_LAT; lat++) {
    float base = 230.0f + 60.0f * wave(lat, FIELD_LAT) + 8.0f * wave(step, 1460);
    for (size_t lon = 0; lon < FIELD_LON; lon++) {
      noise = noise * 1664525u + 1013904223u;
      float value = base + 4.0f * wave(lon + step, FIELD_LON) + 0.25f * (float)(noise >> 26);
      plane[lat * FIELD_LON + lon] = value;
    }
  }
}

size_t field_number(const char *text) {
  char *end = NULL;
  unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end != '\0') {
    fprintf(stderr, "%s: not a number\n", text);
    exit(2);
  }
  return value;
}
