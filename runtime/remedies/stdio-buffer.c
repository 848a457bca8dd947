/* The remedy stdio-buffer: streams of regular files get a larger buffer (held-streams.c), and keep
 * it where the program switches it off. `darshan try` applies it only to files that one process
 * uses, by one stream. */
#include <stdio.h>

#include "../intercept/real.h"
#include "held-streams.h"

#define SLOT(type, name, params)                                                                   \
  static type(*real_##name) params;                                                                \
  EXPORT type held_##name params __asm__(#name);
SLOT(int, setvbuf, (FILE * file, char *buffer, int mode, size_t size))
SLOT(void, setbuf, (FILE * file, char *buffer))
SLOT(void, setbuffer, (FILE * file, char *buffer, size_t size))
SLOT(void, setlinebuf, (FILE * file))
#undef SLOT

int held_setvbuf(FILE *file, char *buffer, int mode, size_t size) {
  if (held_stream(file)) return 0;
  return REAL(setvbuf)(file, buffer, mode, size);
}

void held_setbuf(FILE *file, char *buffer) {
  if (!held_stream(file)) REAL(setbuf)(file, buffer);
}

void held_setbuffer(FILE *file, char *buffer, size_t size) {
  if (!held_stream(file)) REAL(setbuffer)(file, buffer, size);
}

void held_setlinebuf(FILE *file) {
  if (!held_stream(file)) REAL(setlinebuf)(file);
}
