#include "candidates.h"

#include <string.h>

struct candidate *candidates_add(struct candidates *set, size_t size) {
  struct candidate *candidate = arena_take(set->arena, candidate_room(size));
  if (!candidate) return NULL;
  *candidate =
      (struct candidate){.size = (uint32_t)size, .ranks = 1, .bytes = (char *)(candidate + 1)};
  set->items[set->count++] = candidate;
  set->bytes += candidate_room(size);
  return candidate;
}

struct candidate *candidates_add_borrowed(struct candidates *set, const char *bytes, size_t size) {
  struct candidate *candidate = arena_take(set->arena, sizeof(*candidate));
  if (!candidate) return NULL;
  *candidate = (struct candidate){
      .size = (uint32_t)size, .ranks = 1, .borrowed = 1, .bytes = (char *)(uintptr_t)bytes};
  set->items[set->count++] = candidate;
  set->bytes += candidate_room(size); /* it may come to that */
  return candidate;
}

int candidate_own(struct arena *arena, struct candidate *candidate) {
  if (!candidate->borrowed) return 0;
  char *bytes = arena_take(arena, candidate->size);
  if (!bytes) return -1;
  memcpy(bytes, candidate->bytes, candidate->size);
  candidate->bytes = bytes;
  candidate->borrowed = 0;
  return 0;
}

int candidates_can_merge(struct candidates *set, int section) {
  if (set->plan_section != section) {
    set->plan_section = section;
    set->plan_merges =
        section != SECTION_NAMES && darshan_merge_plan_of(&set->plan, section_module(section));
  }
  return set->plan_merges;
}

/* A record of one rank is as that rank wrote it until it meets another. */
static void prepare(struct candidates *set, struct candidate *candidate) {
  if (candidate->ranks == 1)
    darshan_merge_prepare(&set->plan, candidate->bytes, &candidate->spread);
}

int candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from) {
  if (candidates_can_merge(set, (int)into->section) && into->size == from->size) {
    if (candidate_own(set->arena, into) < 0 || candidate_own(set->arena, from) < 0) return -1;
    prepare(set, into);
    prepare(set, from);
    darshan_merge_pair(&set->plan, into->bytes, &into->spread, from->bytes, &from->spread);
  } /* else: names are equal, and of LUSTRE the lowest rank's record counts */
  into->ranks += from->ranks;
  if (from->lowest < into->lowest) into->lowest = from->lowest;
  if (from->highest > into->highest) into->highest = from->highest;
  return 0;
}

int candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs) {
  if (candidate->section == SECTION_NAMES || (candidate->ranks == 1 && nprocs > 1)) return 0;
  if (candidate_own(set->arena, candidate) < 0) return -1;
  if (candidates_can_merge(set, (int)candidate->section)) {
    prepare(set, candidate);
    darshan_merge_finish(&set->plan, candidate->bytes, &candidate->spread);
  } else {
    ((struct darshan_base_record *)(void *)candidate->bytes)->rank = -1;
  }
  return 0;
}

static int before(const struct candidate *a, const struct candidate *b) {
  return a->section != b->section ? a->section < b->section : a->id < b->id;
}

struct spare { /* room for a record */
  char *bytes;
  size_t size;
};

/* What came last into the arena meets what was there.  A record that is only
 * read moves into the place of the one that came, so no page is touched twice. */
static int meet(struct candidates *set, struct spare *spare, struct candidate *into,
                struct candidate *last) {
  size_t size = into->size;
  if (!into->borrowed || size != last->size || !candidates_can_merge(set, (int)into->section)) {
    if (candidate_absorb(set, into, last) < 0) return -1;
    arena_untake(set->arena, candidate_room(last->size));
    return 0;
  }
  if (spare->size < size) *spare = (struct spare){arena_take(set->arena, size), size};
  if (!spare->bytes) return -1;
  char *place = last->bytes;
  memcpy(spare->bytes, place, size);
  memcpy(place, into->bytes, size);
  last->bytes = spare->bytes;
  into->bytes = place;
  into->borrowed = 0;
  return candidate_absorb(set, into, last);
}

int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count) {
  const char *end = bytes + n;
  size_t old = 0, made = 0;
  struct spare spare = {NULL, 0};
  if (count > n) return -1;
  struct candidate **items = arena_take(set->arena, (set->count + count) * sizeof(*items));
  if (!items) return -1;
  for (size_t i = 0; i < count; i++) {
    struct candidate *next = candidate_decode(set->arena, &bytes, end);
    if (!next) return -1;
    while (old < set->count && before(set->items[old], next))
      items[made++] = set->items[old++];
    if (old < set->count && !before(next, set->items[old])) {
      if (meet(set, &spare, set->items[old], next) < 0) return -1;
    } else {
      items[made++] = next;
      set->bytes += candidate_room(next->size);
    }
  }
  while (old < set->count)
    items[made++] = set->items[old++];
  set->items = items;
  set->count = made;
  return 0;
}
