#include "select.h"
#include "records.h"

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

static size_t least_size(int section, const struct darshan_merge_plan *plan, int can_merge) {
  if (section == SECTION_NAMES) return sizeof(uint64_t) + 1;
  return can_merge ? plan->record_size : sizeof(struct darshan_lustre_head);
}

/* Everything else (traces, heat maps) belongs to its rank. */
static int may_be_shared(const struct selection *selection, int section, int can_merge) {
  if (section == SECTION_NAMES) return 1;
  return selection->reduce && (can_merge || section == section_of_module(DARSHAN_MOD_LUSTRE));
}

static void choose(const struct selection *selection, struct split *split, int section,
                   struct chosen item) {
  if (section == SECTION_NAMES && selection->all_ranks > 1 &&
      sharing_known_to(selection->sharing, item.id, selection->all_ranks))
    return;
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
  size_t most = length / least_size(section, &set->plan, can_merge) + 1;
  *split = (struct split){.own = arena_take(selection->arena, most * sizeof(struct chosen)),
                          .shared = arena_take(selection->arena, most * sizeof(struct chosen))};
  if (!split->own || !split->shared) return -1;
  for (size_t at = 0, size; at < length; at += size) {
    size = record_size(section, &set->plan, can_merge, records + at, length - at);
    if (size < sizeof(uint64_t) || size > length - at) return -1;
    struct chosen item = {.at = records + at, .size = size};
    memcpy(&item.id, records + at, sizeof(item.id));
    choose(selection, split, section, item);
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
    struct candidate *candidate = candidates_add_borrowed(set, item->at + skip, item->size - skip);
    if (!candidate) return -1;
    candidate->id = item->id;
    candidate->section = (uint32_t)section;
    candidate->lowest = candidate->highest = (int32_t)selection->rank;
  }
  return 0;
}

/* Where the chosen are; they stay there. */
static int list(struct arena *arena, const struct split *split, struct log_records *records) {
  const char **at = arena_take(arena, split->num_own * sizeof(*at));
  for (size_t i = 0; at && i < split->num_own; i++)
    at[i] = split->own[i].at;
  records->list = at;
  return at ? 0 : -1;
}

static int copy(struct arena *arena, const struct split *split, struct log_records *records) {
  char *bytes = arena_take(arena, split->own_bytes), *at = bytes;
  for (size_t i = 0; bytes && i < split->num_own; i++) {
    memcpy(at, split->own[i].at, split->own[i].size);
    at += split->own[i].size;
  }
  records->bytes = bytes;
  return bytes ? 0 : -1;
}

/* The chosen in the order in which they were made, which is that of time: so
 * neighbours are alike.  size: of each, 0 if they differ. */
static int put_together(struct arena *arena, const struct split *split, const char *all,
                        size_t length, size_t size, struct log_records *records) {
  *records = (struct log_records){.length = split->own_bytes, .size = size};
  if (split->own_bytes == length) {
    records->bytes = all;
    return 0;
  }
  if (size && split->num_own >= LOG_LIST_LEAST) return list(arena, split, records);
  return copy(arena, split, records);
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
  struct log_records chosen;
  size_t size = candidates_can_merge(set, section) ? set->plan.record_size : 0;
  if (put_together(selection->arena, &split, records, length, size, &chosen) < 0) return -1;
  return stretches_add(own, selection->streams, selection->compressor, kind, &chosen);
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
