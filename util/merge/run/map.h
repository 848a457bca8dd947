/* Numbers by number. */
#ifndef DARSHAN_MERGE_MAP_H
#define DARSHAN_MERGE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map { /* zeroed: empty */
  struct map_slot *slots;
  size_t room, count;
};

/* The place of the value of a key, -1 in it if it is new; NULL: no memory. */
int64_t *map_at(struct map *map, uint64_t key);
/* The value, -1: none. */
int64_t map_get(const struct map *map, uint64_t key);
/* Empty again, with the room that it has. */
void map_clear(struct map *map);
void map_free(struct map *map);

/* A list that grows: room for one more of this size; NULL: no memory. */
void *list_more(void **items, size_t count, size_t *room, size_t size);

#endif
