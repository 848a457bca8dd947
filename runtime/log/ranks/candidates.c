#include "candidates.h"

#include <string.h>

struct candidate *candidates_add(struct candidates *set, size_t size) {
  struct candidate *candidate = arena_take(set->arena, candidate_room(size));
  if (!candidate) return NULL;
  *candidate = (struct candidate){.size = (uint32_t)size, .ranks = 1};
  set->items[set->count++] = candidate;
  set->bytes += candidate_room(size);
  return candidate;
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
    darshan_merge_prepare(&set->plan, candidate_bytes(candidate), &candidate->spread);
}

void candidate_absorb(struct candidates *set, struct candidate *into, struct candidate *from) {
  if (candidates_can_merge(set, (int)into->section) && into->size == from->size) {
    prepare(set, into);
    prepare(set, from);
    darshan_merge_pair(&set->plan, candidate_bytes(into), &into->spread, candidate_bytes(from),
                       &from->spread);
  } /* else: names are equal, and of LUSTRE the lowest rank's record counts */
  into->ranks += from->ranks;
  if (from->lowest < into->lowest) into->lowest = from->lowest;
  if (from->highest > into->highest) into->highest = from->highest;
}

void candidate_finish(struct candidates *set, struct candidate *candidate, int64_t nprocs) {
  if (candidate->section == SECTION_NAMES || (candidate->ranks == 1 && nprocs > 1)) return;
  if (candidates_can_merge(set, (int)candidate->section)) {
    prepare(set, candidate);
    darshan_merge_finish(&set->plan, candidate_bytes(candidate), &candidate->spread);
  } else {
    ((struct darshan_base_record *)(void *)candidate_bytes(candidate))->rank = -1;
  }
}

static int before(const struct candidate *a, const struct candidate *b) {
  return a->section != b->section ? a->section < b->section : a->id < b->id;
}

int candidates_merge(struct candidates *set, const char *bytes, size_t n, size_t count) {
  const char *end = bytes + n;
  size_t old = 0, made = 0;
  if (count > n) return -1;
  struct candidate **items = arena_take(set->arena, (set->count + count) * sizeof(*items));
  if (!items) return -1;
  for (size_t i = 0; i < count; i++) {
    struct candidate *next = candidate_decode(set->arena, &bytes, end);
    if (!next) return -1;
    while (old < set->count && before(set->items[old], next))
      items[made++] = set->items[old++];
    if (old < set->count && !before(next, set->items[old])) {
      candidate_absorb(set, set->items[old], next);
      arena_untake(set->arena, candidate_room(next->size));
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
