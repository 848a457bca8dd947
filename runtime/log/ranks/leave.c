#include "leave.h"

#include <string.h>

#include "../../records/store.h"
#include "record-id.h"
#include "records.h"

enum { SECTION_SHARED = SECTION_FIRST_MODULE + DARSHAN_MOD_SHARED };

/* The candidates that leave, and the rows about them. */
struct group {
  struct candidate **items;
  size_t count;
};

static int64_t rank_of(const struct candidate *candidate) {
  const struct darshan_base_record *record = (const void *)candidate->bytes;
  return candidate->section == SECTION_NAMES ? 0 : record->rank;
}

/* As streams of rank 0 are to be: by descending rank, so that combined records
 * come last, then by id. */
static int comes_first(const struct candidate *a, const struct candidate *b) {
  if (a->section != b->section) return a->section < b->section;
  if (rank_of(a) != rank_of(b)) return rank_of(a) > rank_of(b);
  return a->id <= b->id;
}

static int sort(struct arena *arena, struct group *group) {
  size_t n = group->count;
  struct candidate **items = group->items;
  struct candidate **other = arena_take(arena, n * sizeof(*other));
  if (!other) return -1;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t start = 0; start < n; start += 2 * width) {
      size_t middle = start + width < n ? start + width : n;
      size_t end = start + 2 * width < n ? start + 2 * width : n;
      size_t a = start, b = middle;
      for (size_t i = start; i < end; i++)
        other[i] =
            b == end || (a < middle && comes_first(items[a], items[b])) ? items[a++] : items[b++];
    }
    memcpy(items, other, n * sizeof(*items));
  }
  return 0;
}

/* A row that says which ranks a combined record stands for. */
static int add_shared_row(struct arena *arena, struct group *group, const struct candidate *of) {
  struct candidate *row = arena_take(arena, candidate_room(sizeof(struct darshan_shared_record)));
  if (!row) return -1;
  *row = (struct candidate){.id = of->id,
                            .section = SECTION_SHARED,
                            .size = sizeof(struct darshan_shared_record),
                            .bytes = (char *)(row + 1)};
  struct darshan_shared_record record = {.base = {of->id, -1}};
  record.counters[SHARED_MODULE] = section_module((int)of->section);
  record.counters[SHARED_RANKS] = of->ranks;
  record.counters[SHARED_LOWEST_RANK] = of->lowest;
  record.counters[SHARED_HIGHEST_RANK] = of->highest;
  memcpy(row->bytes, &record, sizeof(record));
  group->items[group->count++] = row;
  return 0;
}

static int finish_all(const struct leaving *leaving, struct candidates *set, struct group *group) {
  size_t n = group->count;
  for (size_t i = 0; i < n; i++) {
    struct candidate *item = group->items[i];
    if (candidate_finish(set, item, leaving->nprocs) < 0) return -1;
    if (item->section != SECTION_NAMES && item->ranks > 1 && item->ranks < leaving->nprocs &&
        add_shared_row(set->arena, group, item) < 0)
      return -1;
  }
  return sort(set->arena, group);
}

static size_t copy(char *out, const struct candidate *item) {
  size_t used = 0;
  if (item->section == SECTION_NAMES) {
    memcpy(out, &item->id, sizeof(item->id));
    used = sizeof(item->id);
  }
  memcpy(out + used, item->bytes, item->size);
  return used + item->size;
}

/* One stream per section. */
static int compress(const struct leaving *leaving, struct candidates *set,
                    const struct group *group, struct stretches *out) {
  size_t most = 0, used = 0;
  for (size_t i = 0; i < group->count; i++)
    most += sizeof(uint64_t) + group->items[i]->size;
  char *bytes = arena_take(set->arena, most);
  if (!bytes) return -1;
  for (size_t i = 0; i < group->count; i++) {
    uint32_t section = group->items[i]->section;
    used += copy(bytes + used, group->items[i]);
    if (i + 1 < group->count && group->items[i + 1]->section == section) continue;
    struct stretch kind = {.section = section,
                           .version = section == SECTION_SHARED ? DARSHAN_VERSION_SHARED : 0};
    struct log_records records = {.bytes = bytes, .length = used};
    if (candidates_can_merge(set, (int)section)) records.size = set->plan.record_size;
    if (stretches_add(out, leaving->arena, leaving->compressor, &kind, &records) < 0) return -1;
    used = 0;
  }
  return 0;
}

static int write_group(const struct leaving *leaving, struct candidates *set, struct group *group,
                       struct stretches *out) {
  if (group->count == 0) return 0;
  if (stretches_prepare(out, leaving->arena, SECTIONS) < 0) return -1;
  if (finish_all(leaving, set, group) < 0) return -1;
  return compress(leaving, set, group, out);
}

static int is_complete(const struct leaving *leaving, const struct candidate *item) {
  return item->ranks == sharing_ranks(leaving->sharing, item->id);
}

/* Takes those that leave out of the set.  Room for a row about each. */
static int take_out(struct candidates *set, struct group *group, const struct leaving *leaving,
                    int (*leaves)(const struct leaving *leaving, const struct candidate *item)) {
  size_t stay = 0;
  group->count = 0;
  group->items = arena_take(set->arena, 2 * set->count * sizeof(*group->items));
  if (!group->items) return -1;
  for (size_t i = 0; i < set->count; i++) {
    struct candidate *item = set->items[i];
    if (leaves && !leaves(leaving, item)) {
      set->items[stay++] = item;
      continue;
    }
    group->items[group->count++] = item;
    set->bytes -= candidate_room(item->size);
  }
  set->count = stay;
  return 0;
}

int leave_complete(const struct leaving *leaving, struct candidates *set, int last,
                   struct stretches *out) {
  struct group group;
  out->count = 0;
  if (take_out(set, &group, leaving, last ? NULL : is_complete) < 0) return -1;
  return write_group(leaving, set, &group, out);
}

/* Names may be written twice; what cannot be added up stays with its rank. */
static int is_single(const struct leaving *leaving, const struct candidate *item) {
  struct darshan_merge_plan plan;
  (void)leaving;
  if (item->ranks == 1 || item->section == SECTION_NAMES) return 1;
  return !darshan_merge_plan_of(&plan, section_module((int)item->section));
}

/* Everything that is left of a section becomes one record. */
static int fold(struct candidates *set, char *partial) {
  static const char name[] = OVERFLOW_NAME;
  uint64_t id = darshan_hash(name, sizeof(name) - 1, 0);
  struct candidate **old = set->items;
  size_t count = set->count;
  set->items = arena_take(set->arena, (SECTIONS + 1) * sizeof(*set->items));
  set->count = set->bytes = 0;
  struct candidate *named = set->items ? candidates_add(set, sizeof(name)) : NULL;
  if (!named) return -1;
  named->id = id;
  memcpy(named->bytes, name, sizeof(name));
  for (size_t i = 0; i < count; i++) {
    struct candidate *last = set->items[set->count - 1], *item = old[i];
    if (last->section == item->section) {
      uint32_t most = last->ranks > item->ranks ? last->ranks : item->ranks;
      if (candidate_absorb(set, last, item) < 0) return -1;
      last->ranks = most;
      continue;
    }
    if (candidate_own(set->arena, item) < 0) return -1;
    item->id = ((struct darshan_base_record *)(void *)item->bytes)->id = id;
    partial[item->section] = 1;
    set->items[set->count++] = item;
    set->bytes += candidate_room(item->size);
  }
  return 0;
}

static int mark_partial(const struct leaving *leaving, struct stretches *out, const char *partial) {
  if (out->count == 0 && stretches_prepare(out, leaving->arena, SECTIONS) < 0) return -1;
  for (uint32_t section = 0; section < SECTIONS; section++) {
    int i = 0;
    if (!partial[section]) continue;
    while (i < out->count && out->lines[i].section != section)
      i++;
    if (i == out->count) {
      out->lines[out->count] = (struct stretch){.section = section};
      out->bytes[out->count++] = NULL;
    }
    out->lines[i].partial = 1;
  }
  return 0;
}

int leave_excess(const struct leaving *leaving, struct candidates *set, struct stretches *out) {
  struct group group;
  char partial[SECTIONS] = {0};
  out->count = 0;
  if (set->bytes <= leaving->most_bytes) return 0;
  if (take_out(set, &group, leaving, is_single) < 0) return -1;
  if (write_group(leaving, set, &group, out) < 0) return -1;
  if (set->bytes <= leaving->most_bytes) return 0;
  if (fold(set, partial) < 0) return -1;
  return mark_partial(leaving, out, partial);
}
