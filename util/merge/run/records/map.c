/* Implements a hash table from 64-bit keys to 64-bit values (bytes.h). */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

struct map_slot {
  uint64_t key;
  int64_t value;
  uint8_t used;
};

static struct map_slot *slot_of(const struct map *map, uint64_t key) {
  uint64_t hash = (key ^ key >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  size_t at = (size_t)(hash >> 20) & (map->room - 1);
  while (map->slots[at].used && map->slots[at].key != key)
    at = (at + 1) & (map->room - 1);
  return &map->slots[at];
}

static int grow(struct map *map) {
  struct map larger = {.room = map->room ? 2 * map->room : 64};
  larger.slots = calloc(larger.room, sizeof(*larger.slots));
  if (!larger.slots) return -1;
  for (size_t i = 0; i < map->room; i++)
    if (map->slots[i].used) *slot_of(&larger, map->slots[i].key) = map->slots[i];
  free(map->slots);
  map->slots = larger.slots;
  map->room = larger.room;
  return 0;
}

int64_t *map_at(struct map *map, uint64_t key) {
  if (2 * (map->count + 1) > map->room && grow(map) < 0) return NULL;
  struct map_slot *slot = slot_of(map, key);
  if (!slot->used) {
    *slot = (struct map_slot){key, -1, 1};
    map->count++;
  }
  return &slot->value;
}

int64_t map_get(const struct map *map, uint64_t key) {
  if (map->count == 0) return -1;
  const struct map_slot *slot = slot_of(map, key);
  return slot->used ? slot->value : -1;
}

void map_clear(struct map *map) {
  if (map->count) memset(map->slots, 0, map->room * sizeof(*map->slots));
  map->count = 0;
}

void map_free(struct map *map) {
  free(map->slots);
  *map = (struct map){NULL, 0, 0};
}

void *list_more(void **items, size_t count, size_t *room, size_t size) {
  if (count == *room) {
    size_t more = *room ? 2 * *room : 64;
    void *grown = realloc(*items, more * size);
    if (!grown) return NULL;
    *items = grown;
    *room = more;
  }
  return (char *)*items + count * size;
}
