#include "select.h"

#include <string.h>

/* One record or name, wherever it stands. */
struct chosen {
  uint64_t id;
  const char *at;
  size_t size;
};

struct split {
  struct chosen *own, *shared;
  size_t num_own, num_shared, own_bytes;
};

static size_t record_size(int section, const struct darshan_merge_plan *plan, int can_merge,
                          const char *at, size_t left) {
  struct darshan_lustre_head head;
  if (section == SECTION_NAMES) return sizeof(uint64_t) + strlen(at + sizeof(uint64_t)) + 1;
  if (can_merge) return plan->record_size;
  if (section != section_of_module(DARSHAN_MOD_LUSTRE) || left < sizeof(head)) return left;
  memcpy(&head, at, sizeof(head));
  return sizeof(head) + (size_t)head.num_comps * sizeof(struct darshan_lustre_component) +
         (size_t)head.num_stripes * sizeof(int64_t);
}

/* Everything else (traces, heat maps) belongs to its rank. */
static int may_be_shared(const struct selection *selection, int section, int can_merge) {
  if (section == SECTION_NAMES) return 1;
  return selection->reduce && (can_merge || section == section_of_module(DARSHAN_MOD_LUSTRE));
}

static void choose(const struct selection *selection, struct split *split, struct chosen item) {
  if (selection->together || sharing_ranks(selection->sharing, item.id) != 1) {
    split->shared[split->num_shared++] = item;
  } else {
    split->own[split->num_own++] = item;
    split->own_bytes += item.size;
  }
}

static int split_part(const struct selection *selection, int section, struct candidates *set,
                      const char *records, size_t length, struct split *split) {
  int can_merge = candidates_can_merge(set, section);
  size_t most = 0;
  for (size_t at = 0, size; at < length; at += size, most++) {
    size = record_size(section, &set->plan, can_merge, records + at, length - at);
    if (size == 0 || size > length - at) return -1;
  }
  *split = (struct split){.own = arena_take(selection->arena, most * sizeof(struct chosen)),
                          .shared = arena_take(selection->arena, most * sizeof(struct chosen))};
  if (!split->own || !split->shared) return -1;
  for (size_t at = 0, size; at < length; at += size) {
    size = record_size(section, &set->plan, can_merge, records + at, length - at);
    struct chosen item = {.at = records + at, .size = size};
    memcpy(&item.id, records + at, sizeof(item.id));
    choose(selection, split, item);
  }
  return 0;
}

/* By id; stable, so that equal ids stay in order. */
static int sort(struct arena *arena, struct chosen *items, size_t n) {
  struct chosen *other = arena_take(arena, n * sizeof(*other));
  if (!other) return -1;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t start = 0; start < n; start += 2 * width) {
      size_t middle = start + width < n ? start + width : n;
      size_t end = start + 2 * width < n ? start + 2 * width : n;
      size_t a = start, b = middle;
      for (size_t i = start; i < end; i++)
        other[i] = b == end || (a < middle && items[a].id <= items[b].id) ? items[a++] : items[b++];
    }
    memcpy(items, other, n * sizeof(*items));
  }
  return 0;
}

static int add_candidates(const struct selection *selection, int section, struct candidates *set,
                          const struct split *split) {
  size_t skip = section == SECTION_NAMES ? sizeof(uint64_t) : 0;
  if (sort(selection->arena, split->shared, split->num_shared) < 0) return -1;
  for (size_t i = 0; i < split->num_shared; i++) {
    const struct chosen *item = &split->shared[i];
    if (i > 0 && item->id == item[-1].id) continue; /* damaged: an id twice */
    struct candidate *candidate = candidates_add(set, item->size - skip);
    if (!candidate) return -1;
    candidate->id = item->id;
    candidate->section = (uint32_t)section;
    candidate->lowest = candidate->highest = (int32_t)selection->rank;
    memcpy(candidate_bytes(candidate), item->at + skip, candidate->size);
  }
  return 0;
}

/* The bytes of the chosen, one behind the other; as they stand if all are. */
static const char *together(const struct selection *selection, const struct split *split,
                            const char *records) {
  if (split->num_shared == 0) return records;
  if (sort(selection->arena, split->own, split->num_own) < 0) return NULL;
  char *bytes = arena_take(selection->arena, split->own_bytes), *at = bytes;
  for (size_t i = 0; bytes && i < split->num_own; i++) {
    memcpy(at, split->own[i].at, split->own[i].size);
    at += split->own[i].size;
  }
  return bytes;
}

static int select_part(const struct selection *selection, const struct stretch *kind,
                       const char *records, size_t length, struct stretches *own,
                       struct candidates *set) {
  int section = (int)kind->section;
  struct split split = {.own_bytes = length};
  if (length > 0 && may_be_shared(selection, section, candidates_can_merge(set, section))) {
    if (split_part(selection, section, set, records, length, &split) < 0) return -1;
    /* Grows behind what is there already; the sections come in order. */
    struct candidate **items =
        arena_take(selection->arena, (set->count + split.num_shared) * sizeof(*items));
    if (!items) return -1;
    if (set->count) memcpy(items, set->items, set->count * sizeof(*items));
    set->items = items;
    if (add_candidates(selection, section, set, &split) < 0) return -1;
  }
  const char *bytes = together(selection, &split, records);
  if (!bytes && split.own_bytes) return -1;
  return stretches_add(own, selection->streams, selection->compressor, kind, bytes,
                       split.own_bytes);
}

int select_content(const struct selection *selection, const struct log_content *content,
                   struct stretches *own, struct candidates *candidates) {
  struct stretch names = {.section = SECTION_NAMES};
  *candidates = (struct candidates){.arena = selection->arena, .plan_section = -1};
  if (stretches_prepare(own, selection->streams, content->num_parts + 1) < 0 ||
      select_part(selection, &names, content->names, content->names_length, own, candidates) < 0)
    return -1;
  for (int i = 0; i < content->num_parts; i++) {
    const struct log_part *part = &content->parts[i];
    struct stretch kind = {.section = (uint32_t)section_of_module(part->module),
                           .version = part->version,
                           .partial = part->partial != 0};
    if (part->ready)
      stretches_add_ready(own, &kind, part->records, part->length);
    else if (select_part(selection, &kind, part->records, part->length, own, candidates) < 0)
      return -1;
  }
  return 0;
}
