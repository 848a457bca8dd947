/* The remedy stdio-buffer: streams of regular files get a larger buffer (held-streams.c), which
 * stays in use even if the program switches buffering off. `darshan try` applies it only if nothing
 * but one process's streams uses the files of the finding (holding.py). */
#include <stdio.h>

#include "../../intercept/real.h"
#include "held-streams.h"

#define SLOT(type, name, params)                                                                   \
  static type(*real_##name) params;                                                                \
  EXPORT type held_##name params __asm__(#name);
SLOT(int, setvbuf, (FILE * file, char *buffer, int mode, size_t size))
SLOT(void, setbuf, (FILE * file, char *buffer))
SLOT(void, setbuffer, (FILE * file, char *buffer, size_t size))
SLOT(void, setlinebuf, (FILE * file))
#undef SLOT

/* Called when the program chooses a buffer. Returns 1 if the stream has the remedy's buffer and
 * keeps it, and stores the program's choice for later; otherwise 0: the caller calls libc. buffer:
 * NULL: one of libc. mode: of setvbuf. size: of the program's buffer in bytes. */
static int keeps(FILE *file, char *buffer, int mode, size_t size) {
  struct held *held = held_stream(file);
  if (!held) return 0;
  held->mode = mode;
  held->own = buffer;
  if (buffer) held->size = size;
  return 1;
}

int held_setvbuf(FILE *file, char *buffer, int mode, size_t size) {
  int is_mode = mode == _IOFBF || mode == _IOLBF || mode == _IONBF;
  if (is_mode && keeps(file, buffer, mode, size)) return 0;
  return REAL(setvbuf)(file, buffer, mode, size);
}

void held_setbuf(FILE *file, char *buffer) {
  if (!keeps(file, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ)) REAL(setbuf)(file, buffer);
}

void held_setbuffer(FILE *file, char *buffer, size_t size) {
  if (!keeps(file, buffer, buffer ? _IOFBF : _IONBF, size)) REAL(setbuffer)(file, buffer, size);
}

void held_setlinebuf(FILE *file) {
  if (!keeps(file, NULL, _IOLBF, 0)) REAL(setlinebuf)(file);
}
