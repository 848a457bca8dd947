/* Decides which records of this rank need not travel further up the tree of ranks, and compresses
 * them into streams (streams.h). */
#include "streams.h"

#include <string.h>
#include <zlib.h>

#include "../../records/store.h"
#include "record-id.h"
#include "records.h"

enum { SECTION_SHARED = SECTION_FIRST_MODULE + DARSHAN_MOD_SHARED };

/* --- streams ------------------------------------------------------------------------- */

int stretches_prepare(struct stretches *stretches, struct arena *arena, int room) {
  stretches->count = 0;
  stretches->lines = arena_take(arena, (size_t)room * sizeof(*stretches->lines));
  stretches->bytes = arena_take(arena, (size_t)room * sizeof(*stretches->bytes));
  return stretches->lines && stretches->bytes ? 0 : -1;
}

const struct stretch *stretches_find(const struct stretches *stretches, uint32_t section) {
  for (int i = 0; i < stretches->count; i++)
    if (stretches->lines[i].section == section) return &stretches->lines[i];
  return NULL;
}

void stretch_join(struct stretch *a, const struct stretch *b) {
  if (stretch_in_annex(a)) a->crc = (uint32_t)crc32_combine(a->crc, b->crc, (z_off_t)b->stored);
  if (b->version > a->version) a->version = b->version;
  a->partial |= b->partial;
  a->stored += b->stored;
  a->raw += b->raw;
}

/* Compresses records into one stream and appends its line, with the section, version and partial
 * flag of `kind`. The caller adds sections in ascending order. Returns 0, or -1 if out of memory.
 * Adds a line even if there are no records, because the line holds the version of the records. */
static int add_compressed(const struct leaving *leaving, struct stretches *stretches,
                          const struct stretch *kind, const struct log_records *records) {
  size_t n = records->length;
  struct stretch *line = &stretches->lines[stretches->count];
  *line = *kind;
  line->raw = n;
  line->stored = line->crc = 0;
  stretches->bytes[stretches->count] = NULL;
  if (n > 0) {
    size_t room = log_compress_bound(n);
    char *out = arena_take(leaving->arena, room);
    if (!out || (line->stored = log_compress_records(leaving->compressor, records, out, room)) == 0)
      return -1;
    stretches->bytes[stretches->count] = out;
    /* Frees the unused rest now, while it is the newest piece of the arena. */
    arena_shrink(leaving->arena, room, line->stored);
    if (stretch_in_annex(kind)) line->crc = log_checksum(out, line->stored);
  }
  stretches->count++;
  return 0;
}

/* Appends n bytes that are compressed streams already, of a module outside the annex. The bytes
 * must stay where they are until they are written. */
static void add_ready(struct stretches *stretches, const struct stretch *kind, const void *bytes,
                      size_t n) {
  struct stretch *line = &stretches->lines[stretches->count];
  *line = *kind;
  line->raw = line->stored = n; /* only the annex stores the decompressed size */
  stretches->bytes[stretches->count++] = bytes;
}

/* --- records of this rank alone ------------------------------------------------------ */

struct split {
  struct found *own, *shared;
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

/* Returns 1 if records of this section in several ranks may become one record of the log; otherwise
 * 0, as for all sections but the names if the log keeps the ranks (keep_ranks). All other records
 * (traces, heat maps, PROCESS) belong to one rank. */
static int may_be_shared(const struct leaving *leaving, int section, int can_merge) {
  if (section == SECTION_NAMES) return 1;
  if (section == section_of_module(DARSHAN_MOD_PROCESS)) return 0;
  return !leaving->rank->source->keep_ranks &&
         (can_merge || section == section_of_module(DARSHAN_MOD_LUSTRE));
}

/* Returns 1 if all ranks know the name, except in the root rank: the root rank writes such a name,
 * so no rank sends it. Otherwise returns 0. */
static int is_known_to_all(const struct leaving *leaving, uint64_t id) {
  int ranks = leaving->rank->comm->size;
  return ranks > 1 && !rank_is_root(leaving->rank) &&
         sharing_known_to(leaving->sharing, id, (unsigned)ranks);
}

/* Returns 1 if an earlier reduction has made this record a shared one (rank -1), as in node logs.
 * Otherwise returns 0. */
static int is_of_several(const struct leaving *leaving, int section, const struct found *item) {
  struct darshan_base_record record;
  if (!leaving->rank->source->span || section == SECTION_NAMES) return 0;
  memcpy(&record, item->at, sizeof(record));
  return record.rank == -1;
}

/* Appends a record to split->shared if other ranks may have it, else to split->own. Drops a name
 * that the root rank writes. In a job of one rank all records become shared records. */
static void choose(const struct leaving *leaving, struct split *split, int section,
                   struct found item) {
  if (section == SECTION_NAMES && is_known_to_all(leaving, item.id)) return;
  if (leaving->rank->source->nprocs == 1 || sharing_ranks(leaving->sharing, item.id) != 1 ||
      is_of_several(leaving, section, &item)) {
    split->shared[split->num_shared++] = item;
  } else {
    split->own[split->num_own++] = item;
    split->own_bytes += item.size;
  }
}

static int split_part(const struct leaving *leaving, int section, struct candidates *set,
                      const char *records, size_t length, struct split *split) {
  int can_merge = candidates_can_merge(set, section);
  size_t most = length / least_size(section, &set->plan, can_merge) + 1;
  *split = (struct split){.own = arena_take(set->arena, most * sizeof(struct found)),
                          .shared = arena_take(set->arena, most * sizeof(struct found))};
  if (!split->own || !split->shared) return -1;
  for (size_t at = 0, size; at < length; at += size) {
    size = record_size(section, &set->plan, can_merge, records + at, length - at);
    if (size < sizeof(uint64_t) || size > length - at) return -1;
    struct found item = {.at = records + at, .size = size};
    memcpy(&item.id, records + at, sizeof(item.id));
    choose(leaving, split, section, item);
  }
  return 0;
}

/* Sets records->list to the addresses of this rank's own records, which are not copied. Returns 0,
 * or -1 if out of memory. */
static int list_own(struct arena *arena, const struct split *split, struct log_records *records) {
  const char **at = arena_take(arena, split->num_own * sizeof(*at));
  for (size_t i = 0; at && i < split->num_own; i++)
    at[i] = split->own[i].at;
  records->list = at;
  return at ? 0 : -1;
}

static int copy_own(struct arena *arena, const struct split *split, struct log_records *records) {
  char *bytes = arena_take(arena, split->own_bytes), *at = bytes;
  for (size_t i = 0; bytes && i < split->num_own; i++) {
    memcpy(at, split->own[i].at, split->own[i].size);
    at += split->own[i].size;
  }
  records->bytes = bytes;
  return bytes ? 0 : -1;
}

/* Combines this rank's own records in their order of creation, in which neighbouring records are
 * similar. all, length: all records of the section. size: size of each record, 0 if the sizes
 * differ. Returns 0, or -1 if out of memory. */
static int put_together(struct arena *arena, const struct split *split, const char *all,
                        size_t length, size_t size, struct log_records *records) {
  *records = (struct log_records){.length = split->own_bytes, .size = size};
  if (split->own_bytes == length) {
    records->bytes = all;
    return 0;
  }
  if (size && split->num_own >= LOG_LIST_LEAST) return list_own(arena, split, records);
  return copy_own(arena, split, records);
}

static int leave_part(const struct leaving *leaving, const struct stretch *kind,
                      const char *records, size_t length, struct candidates *set,
                      struct stretches *out) {
  int section = (int)kind->section, can_merge = candidates_can_merge(set, section);
  struct split split = {.own_bytes = length};
  if (length > 0 && may_be_shared(leaving, section, can_merge) &&
      (split_part(leaving, section, set, records, length, &split) < 0 ||
       candidates_add_found(set, section, leaving->rank->source, split.shared, split.num_shared) <
           0))
    return -1;
  struct log_records own;
  size_t size = can_merge ? set->plan.record_size : 0;
  if (put_together(set->arena, &split, records, length, size, &own) < 0) return -1;
  return add_compressed(leaving, out, kind, &own);
}

int leave_own(const struct leaving *leaving, const struct log_content *content,
              struct candidates *set, struct stretches *out) {
  struct stretch names = {.section = SECTION_NAMES};
  if (stretches_prepare(out, leaving->arena, content->num_parts + 1) < 0 ||
      leave_part(leaving, &names, content->names, content->names_length, set, out) < 0)
    return -1;
  for (int i = 0; i < content->num_parts; i++) {
    const struct log_part *part = &content->parts[i];
    struct stretch kind = {.section = (uint32_t)section_of_module(part->module),
                           .version = part->version,
                           .partial = part->partial != 0};
    if (part->ready)
      add_ready(out, &kind, part->records, part->length);
    else if (leave_part(leaving, &kind, part->records, part->length, set, out) < 0)
      return -1;
  }
  return 0;
}

/* --- candidates that leave ---------------------------------------------------------- */

/* The candidates that leave the set, and the rows of SHARED about them. */
struct group {
  struct candidate **items;
  size_t count;
};

/* Adds a row to the group: a record of SHARED with the ranks of a shared record. Returns 0, or -1
 * if out of memory. */
static int add_shared_row(struct arena *arena, struct group *group, const struct candidate *of) {
  struct candidate *row = arena_take(arena, candidate_room(sizeof(struct darshan_shared_record)));
  if (!row) return -1;
  *row = (struct candidate){.id = of->id,
                            .section = SECTION_SHARED,
                            .size = sizeof(struct darshan_shared_record),
                            .order = CANDIDATE_LAST, /* rows are in order of id */
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
  int64_t nprocs = leaving->rank->source->nprocs;
  size_t n = group->count;
  for (size_t i = 0; i < n; i++) {
    struct candidate *item = group->items[i];
    if (candidate_finish(set, item, nprocs) < 0) return -1;
    if (item->section != SECTION_NAMES && item->ranks > 1 && item->ranks < nprocs &&
        add_shared_row(set->arena, group, item) < 0)
      return -1;
  }
  return candidates_sort_for_log(set->arena, group->items, group->count);
}

static size_t copy_item(char *out, const struct candidate *item) {
  size_t used = 0;
  if (item->section == SECTION_NAMES) {
    memcpy(out, &item->id, sizeof(item->id));
    used = sizeof(item->id);
  }
  memcpy(out + used, item->bytes, item->size);
  return used + item->size;
}

/* Compresses the items of the group into one stream per section, which it appends to out.
 * Returns 0, or -1 if out of memory. */
static int compress_group(const struct leaving *leaving, struct candidates *set,
                          const struct group *group, struct stretches *out) {
  size_t most = 0, used = 0;
  for (size_t i = 0; i < group->count; i++)
    most += sizeof(uint64_t) + group->items[i]->size;
  char *bytes = arena_take(set->arena, most);
  if (!bytes) return -1;
  for (size_t i = 0; i < group->count; i++) {
    uint32_t section = group->items[i]->section;
    used += copy_item(bytes + used, group->items[i]);
    if (i + 1 < group->count && group->items[i + 1]->section == section) continue;
    struct stretch kind = {.section = section,
                           .version = section == SECTION_SHARED ? DARSHAN_VERSION_SHARED : 0};
    struct log_records records = {.bytes = bytes, .length = used};
    if (candidates_can_merge(set, (int)section)) records.size = set->plan.record_size;
    if (add_compressed(leaving, out, &kind, &records) < 0) return -1;
    used = 0;
  }
  return 0;
}

static int leave_group(const struct leaving *leaving, struct candidates *set, struct group *group,
                       struct stretches *out) {
  if (group->count == 0) return 0;
  if (stretches_prepare(out, leaving->arena, SECTIONS) < 0) return -1;
  if (finish_all(leaving, set, group) < 0) return -1;
  return compress_group(leaving, set, group, out);
}

/* Moves the candidates for which `leaves` returns 1 (all if leaves is NULL) from the set to the
 * group, which has a slot for a row of SHARED about each. Returns 0, or -1 if out of memory. */
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

/* --- excess candidates ------------------------------------------------------------- */

/* Returns 1 if the candidate need not be compared with candidates of other ranks: it is the record
 * of a single rank; its module has no merge rules (LUSTRE); or it is a name, which the log may
 * contain twice. Otherwise returns 0. */
static int is_single(const struct leaving *leaving, const struct candidate *item) {
  struct darshan_merge_plan plan;
  (void)leaving;
  if (item->ranks == 1 || item->section == SECTION_NAMES) return 1;
  return !darshan_merge_plan_of(&plan, section_module((int)item->section));
}

/* Aggregates the candidates of each section that are still in the set into one overflow record,
 * adds the name of that record, and sets partial[section] to 1. Returns 0, or -1 if out of
 * memory. */
static int fold_sections(struct candidates *set, char *partial) {
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
  size_t most = leaving->rank->source->limits.candidates;
  struct group group;
  char partial[SECTIONS] = {0};
  out->count = 0;
  if (set->bytes <= most) return 0;
  if (take_out(set, &group, leaving, is_single) < 0) return -1;
  if (leave_group(leaving, set, &group, out) < 0) return -1;
  if (set->bytes > most &&
      (fold_sections(set, partial) < 0 || mark_partial(leaving, out, partial) < 0))
    return -1;
  return out->count > 0 ? candidates_compact(set) : 0;
}

/* --- complete candidates ------------------------------------------------------------- */

/* Returns 1 if the candidate contains the records of all ranks that know its id, otherwise 0.
 * Always returns 0 after an earlier reduction, because the ranks of a record are then not the ranks
 * that know its id. */
static int is_complete(const struct leaving *leaving, const struct candidate *item) {
  return !leaving->rank->source->span && item->ranks == sharing_ranks(leaving->sharing, item->id);
}

int leave_complete(const struct leaving *leaving, struct candidates *set, struct stretches *out) {
  struct group group;
  out->count = 0;
  if (take_out(set, &group, leaving, rank_is_root(leaving->rank) ? NULL : is_complete) < 0)
    return -1;
  return leave_group(leaving, set, &group, out);
}
