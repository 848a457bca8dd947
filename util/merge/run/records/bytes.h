/* A growing byte buffer. */
#ifndef DARSHAN_MERGE_BYTES_H
#define DARSHAN_MERGE_BYTES_H

#include <stdlib.h>
#include <string.h>

enum { BYTES_LEAST = 64 };

struct bytes { /* zeroed: empty */
  char *at;
  size_t n, room;
};

/* Appends n uninitialized bytes and returns them, or NULL if out of memory. */
static inline char *bytes_more(struct bytes *bytes, size_t n) {
  if (!bytes->at || n > bytes->room - bytes->n) {
    size_t room = 2 * (bytes->n + n) + BYTES_LEAST;
    char *at = realloc(bytes->at, room);
    if (!at) return NULL;
    bytes->at = at;
    bytes->room = room;
  }
  char *more = bytes->at + bytes->n;
  bytes->n += n;
  return more;
}

static inline int bytes_add(struct bytes *bytes, const void *from, size_t n) {
  char *more = bytes_more(bytes, n);
  if (more && n) memcpy(more, from, n);
  return more ? 0 : -1;
}

static inline void bytes_free(struct bytes *bytes) {
  free(bytes->at);
  *bytes = (struct bytes){NULL, 0, 0};
}

#endif
