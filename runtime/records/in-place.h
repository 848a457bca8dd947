/* Decides whether a journal may be mapped on a file system, because the file system overwrites in
 * place. */
#ifndef DARSHAN_IN_PLACE_H
#define DARSHAN_IN_PLACE_H

#include <stddef.h>
#include <stdint.h>

/* The folder, in memory, of journals that must not be mapped on the file system of their configured
 * folder. */
#define IN_PLACE_FOLDER "/dev/shm"

/* Returns 1 if a journal may be mapped on a file system of this type (f_type of statfs). Otherwise
 * returns 0. */
static inline int in_place(int64_t type) {
#define IN_PLACE(magic, reason) magic,
  static const uint32_t safe[] = {
#include "in-place.def"
  };
#undef IN_PLACE
  for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
    if ((uint32_t)type == safe[i]) return 1;
  return 0;
}

#endif
