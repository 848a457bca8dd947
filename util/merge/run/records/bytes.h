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
  size_t n, room; /* bytes used; bytes allocated */
};

/* Appends n uninitialized bytes and returns their address, valid until the next append. Returns
 * NULL if out of memory. */
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

/* Appends n bytes. Returns 0, or -1 if out of memory. */
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
  size_t room, count; /* number of slots; number of keys */
};

/* Returns the address of a key's value, valid until the next map_at. Adds the key with value -1 if
 * the table lacks it. Returns NULL if out of memory. */
int64_t *map_at(struct map *map, uint64_t key);
/* Returns the value of a key; -1 if the table lacks the key. */
int64_t map_get(const struct map *map, uint64_t key);
/* Removes all keys; the table stays allocated. */
void map_clear(struct map *map);
void map_free(struct map *map);

/* Makes space for one more element of a list with `count` elements, *room of which are allocated.
 * Returns the address of the new, uninitialized element; NULL if out of memory. The caller
 * increases the count. items: address of the list's pointer, which may change. size: bytes of an
 * element. */
void *list_more(void **items, size_t count, size_t *room, size_t size);

#endif
