/* Declares growing memory for the merger: byte buffers, lists, and hash tables (map.c). */
#ifndef DARSHAN_MERGE_BYTES_H
#define DARSHAN_MERGE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_LEAST = 64 };

struct bytes { /* zeroed: empty */
  char *at;
  size_t n, room;
};

/* Appends n uninitialized bytes and returns their address, or NULL if out of memory. */
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

/* A hash table from 64-bit keys to 64-bit values; empty if zeroed. */
struct map {
  struct map_slot *slots;
  size_t room, count;
};

/* Returns the address of a key's value; the value is -1 if the key is new. Returns NULL if out of
 * memory. */
int64_t *map_at(struct map *map, uint64_t key);
/* Returns the value of a key; -1 if the table lacks the key. */
int64_t map_get(const struct map *map, uint64_t key);
/* Removes all keys; the table stays allocated. */
void map_clear(struct map *map);
void map_free(struct map *map);

/* Returns the address of element `count` of a list, and enlarges the list if needed; NULL if out of
 * memory. size: bytes of an element. */
void *list_more(void **items, size_t count, size_t *room, size_t size);

#endif
