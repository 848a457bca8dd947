/* A hash table from 64-bit keys to 64-bit values. */
#ifndef DARSHAN_MERGE_MAP_H
#define DARSHAN_MERGE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map { /* zeroed: empty */
  struct map_slot *slots;
  size_t room, count;
};

/* Returns the slot of a key's value, which holds -1 if the key is new. NULL: out of memory. */
int64_t *map_at(struct map *map, uint64_t key);
/* Returns the value of a key, -1 if there is none. */
int64_t map_get(const struct map *map, uint64_t key);
/* Removes all keys and keeps the memory. */
void map_clear(struct map *map);
void map_free(struct map *map);

/* Returns the slot after `count` elements of a list, which grows if needed; NULL: out of memory. */
void *list_more(void **items, size_t count, size_t *room, size_t size);

#endif
