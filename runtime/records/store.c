/* Lays out the store, and adds names and records to it (store.h). */
#include "store.h"

#include <string.h>

#include "../intercept/guard.h"
#include "../intercept/memory.h"
#include "../intercept/spin.h"
#include "../intercept/stack.h"
#include "../names/groups.h"
#include "record-id.h"
#include "records.h"
#include "store-room.h"

struct record_store darshan_store;

enum {
  FIRST_PLACES = 512, /* slots of the first index, which is smaller than a page */
  USUAL_RECORDS = 1024
};

static struct darshan_header *header_of(struct record_store *store) {
  return (struct darshan_header *)(void *)store->frame;
}

/* Distributes MODMEM over the modules. Modules that few processes use share an additional, equal
 * amount. The annex, the few heat maps and limits set by MAX_RECORDS do not count against
 * MODMEM. */
static void share_room(struct record_store *store, const struct store_shape *shapes,
                       const struct store_limits *limits) {
  uint64_t room[] = {
      [STORE_OF_FILES] = limits->module_bytes, [STORE_OF_RARITIES] = limits->module_bytes};
  for (int turn = 0; turn < 2;
       turn++) /* first the usual number of records for all, then the rest of the memory */
    for (int i = 0; i < STORE_MODULES; i++) {
      struct store_region *region = &store->regions[i];
      enum store_of of = shapes[i].of;
      uint32_t wanted = limits->records[i], had = region->limit;
      if ((of != STORE_OF_FILES && of != STORE_OF_RARITIES) || limits->asked[i]) {
        region->limit = wanted;
        continue;
      }
      if (turn == 0 && wanted > USUAL_RECORDS) wanted = USUAL_RECORDS;
      uint64_t more = wanted - had, fits = room[of] / shapes[i].record_size;
      if (more > fits) more = fits;
      region->limit = had + (uint32_t)more;
      region->cut = region->limit < limits->records[i];
      room[of] -= more * shapes[i].record_size;
    }
}

/* Sets the offsets of a region that begins at `start`, with space for group records beyond the
 * limit. Returns its end. */
static size_t place_region(struct store_region *region, const struct store_shape *shape,
                           size_t start) {
  uint32_t size = shape->record_size;
  region->module_id = shape->module_id;
  region->version = shape->version;
  region->record_size = size;
  region->of = shape->of;
  region->part = (struct store_part){.start = start};
  int groups = shape->of == STORE_OF_FILES || shape->of == STORE_OF_ANNEX;
  region->room = region->limit + (groups ? GROUP_MOST : 1);
  region->part.end = journal_page_up(start + (size_t)region->room * size);
  segments_prepare(&region->records, size, STORE_FIRST_ROOM);
  return region->part.end;
}

static int new_index(struct record_store *store, uint32_t places) {
  struct store_index *index = private_memory(sizeof(*index) + places * sizeof(uint32_t));
  if (!index) return -1;
  index->mask = places - 1;
  for (uint32_t number = 1; number <= store->entries; number++) {
    const struct store_entry *entry = segments_at(&store->entry, number);
    if (!entry->id) continue; /* an entry whose addition was interrupted */
    uint32_t i = (uint32_t)(entry->id >> 17) & index->mask;
    while (index->place[i] != 0)
      i = (i + 1) & index->mask;
    index->place[i] = number;
  }
  /* The old index stays mapped, because other threads may be reading it. */
  __atomic_store_n(&store->index, index, __ATOMIC_RELEASE);
  return 0;
}

int store_prepare(struct record_store *store, const struct store_shape shapes[STORE_MODULES],
                  const struct store_limits *limits) {
  if (store->index)
    memset(store, 0, sizeof(*store)); /* the memory of a new process is zero already */
  journal_ask_page();
  store->names.part = (struct store_part){.start = STORE_NAMES_START};
  size_t end = store->names.part.end = journal_page_up(STORE_FIRST_ROOM + limits->name_bytes);
  share_room(store, shapes, limits);
  for (int i = 0; i < STORE_MODULES; i++) {
    size_t start = i < STORE_FIRST_ANNEX ? end : end + sizeof(struct darshan_annex_block);
    end = place_region(&store->regions[i], &shapes[i], start);
  }
  store->journal.size = end + JOURNAL_PAGE; /* the trailer ends the last page */
  segments_prepare(&store->entry, sizeof(struct store_entry), JOURNAL_PAGE);
  return new_index(store, FIRST_PLACES);
}

void store_beside(struct record_store *store, enum store_module module, struct segments *table) {
  struct segments **beside = store->beside[module];
  for (int i = 0; i < STORE_BESIDE; i++) {
    if (beside[i] && beside[i] != table) continue;
    beside[i] = table;
    return;
  }
}

void store_guard(struct record_store *store, int *lock, int inner) {
  for (int i = 0; i < STORE_GUARDS; i++) {
    if (store->guards[inner][i] && store->guards[inner][i] != lock) continue;
    store->guards[inner][i] = lock;
    return;
  }
}

void store_set_job(struct record_store *store, const struct darshan_job *job, const char *job_text,
                   size_t job_text_length) {
  if (!store->frame) return;
  memcpy(store->frame + STORE_JOB_START, job, sizeof(*job));
  if (job_text) memcpy(store->frame + STORE_JOB_START + sizeof(*job), job_text, job_text_length);
}

int store_begin(struct record_store *store) {
  struct store_names *names = &store->names;
  char *frame = journal_window(-1, 0, STORE_FIRST_ROOM);
  if (!frame) return -1;
  store->frame = frame;
  names->windows = 1;
  names->window[0] = (struct store_window){0, frame + STORE_NAMES_START, SIZE_MAX};
  names->part.mapped = names->part.usable = STORE_FIRST_ROOM - STORE_NAMES_START;
  struct darshan_header *header = header_of(store);
  header->comp_type = DARSHAN_UNCOMPRESSED;
  header->names.off = STORE_NAMES_START;
  for (int i = 0; i < STORE_MODULES; i++) {
    int id = store->regions[i].module_id;
    if (id >= DARSHAN_MAX_MODULES) continue;
    header->modules[id].off = store->regions[i].part.start;
    header->module_versions[id] = store->regions[i].version;
  }
  memcpy(header->version, DARSHAN_LOG_VERSION, sizeof(DARSHAN_LOG_VERSION));
  header->magic = DARSHAN_LOG_MAGIC;
  return 0;
}

static void forget_part(struct store_part *part) {
  *part = (struct store_part){.start = part->start, .end = part->end};
}

void store_forget(struct record_store *store) {
  if (!store->index) {
    store->lock = store->changing = 0;
    return;
  }
  /* Does not unmap the old windows: the file is the parent's, and names of the child's records are
   * in the windows. */
  store->journal.has_file = 0;
  store->frame = NULL;
  store->lookups = NULL;
  store->names.used = store->names.windows = 0;
  forget_part(&store->names.part);
  store->annex_ready = store->growing = store->closed = store->unrecorded = 0;
  store->wanted = 0;
  store->guards_held[0] = store->guards_held[1] = 0;
  for (int i = 0; i < STORE_MODULES; i++) {
    struct store_region *region = &store->regions[i];
    region->count = region->overflow = region->groups = 0;
    region->folded = 0;
    region->newest = NULL;
    region->block = NULL;
    region->held = 0;
    forget_part(&region->part);
    segments_prepare(&region->records, region->record_size, STORE_FIRST_ROOM);
  }
  uint32_t mask = store->index->mask;
  private_memory_wipe(store->index, sizeof(*store->index) + ((size_t)mask + 1) * sizeof(uint32_t));
  store->index->mask = mask;
  store->entries = 0;
  store_forget_groups(store);
  store->lock = store->changing = 0;
  store->rank = 0; /* a forked child is not a rank */
}

void store_set_rank(struct record_store *store, int64_t rank) {
  store->rank = rank;
  for (int i = 0; i < STORE_MODULES; i++)
    for (uint32_t number = 1; number <= store->regions[i].count; number++) {
      struct darshan_base_record *record = store_record(store, (enum store_module)i, number);
      record->rank = rank;
    }
}

void store_drop_records(struct record_store *store) {
  for (int i = 0; i < STORE_MODULES; i++)
    store->regions[i].count = store->regions[i].overflow = store->regions[i].groups = 0;
  store->names.used = 0;
}

const char *store_records(const struct record_store *store, enum store_module module) {
  const struct segments *records = &store->regions[module].records;
  size_t size = records->item_size, count = store->regions[module].count;
  if (count <= segments_count(records, 0)) return segments_at(records, 0);
  char *all = private_memory(count * size);
  for (uint32_t k = 0; all && segments_first(records, k) < count; k++) {
    uint32_t first = segments_first(records, k), here = segments_count(records, k);
    if (here > count - first) here = (uint32_t)count - first;
    memcpy(all + first * size, segments_at(records, first), here * size);
  }
  return all;
}

const char *store_all_names(const struct record_store *store) {
  const struct store_names *names = &store->names;
  if (names->windows == 1) return names->window[0].at;
  char *all = private_memory(names->used);
  for (uint32_t i = 0; all && i < names->windows; i++) {
    uint64_t from = names->window[i].from;
    uint64_t to = i + 1 < names->windows ? names->window[i + 1].from : names->used;
    memcpy(all + from, names->window[i].at, to - from);
  }
  return all;
}

void store_publish_names(struct record_store *store) {
  const struct store_names *names = &store->names;
  if (!store->journal.has_file || names->used <= names->part.kept)
    __atomic_store_n(&header_of(store)->names.len, names->used, __ATOMIC_RELEASE);
}

/* Completes the last change of the store after its lock holder was interrupted: counts a record
 * that already has its number. */
static void repair(struct record_store *store) {
  for (int i = 0; i < STORE_MODULES && store->frame; i++) {
    struct store_region *region = &store->regions[i];
    const struct store_entry *newest = region->newest;
    if (newest && newest->record[i] == region->count + 1)
      __atomic_store_n(&region->count, region->count + 1, __ATOMIC_RELEASE);
    if (region->count) store_publish(store, region);
  }
  if (store->frame) store_publish_names(store);
}

int store_lock(struct record_store *store) {
  if (!spin_lock(SPIN_STORE, &store->lock)) return 0;
  if (UNLIKELY(store->changing)) repair(store);
  store->changing = 1;
  COMPILER_FENCE();
  return 1;
}
void store_unlock(struct record_store *store) {
  COMPILER_FENCE();
  store->changing = 0;
  spin_unlock(&store->lock);
}

struct store_entry *store_find(const struct record_store *store, uint64_t id) {
  const struct store_index *index = __atomic_load_n(&store->index, __ATOMIC_ACQUIRE);
  for (uint32_t i = (uint32_t)(id >> 17) & index->mask;; i = (i + 1) & index->mask) {
    uint32_t number = __atomic_load_n(&index->place[i], __ATOMIC_ACQUIRE);
    if (number == 0) return NULL;
    struct store_entry *entry = segments_at(&store->entry, number);
    if (__atomic_load_n(&entry->id, __ATOMIC_ACQUIRE) == id) return entry;
  }
}

static int is_ours(const char *name) {
  if (LIKELY(name[0] != OVERFLOW_NAME[0])) return 0; /* all three names begin with this character */
  return strcmp(name, OVERFLOW_NAME) == 0 || strcmp(name, OTHER_PATHS_NAME) == 0 ||
         strcmp(name, USAGE_NAME) == 0;
}

/* Adds a name in the layout of the log and returns its address; NULL if it does not fit. Space for
 * the runtime's own names is always free. */
static const char *add_name(struct record_store *store, uint64_t id, const char *name,
                            size_t length) {
  struct store_names *names = &store->names;
  size_t needed = sizeof(id) + length + 1;
  size_t spare = is_ours(name) ? 0 : STORE_OWN_NAME_BYTES;
  if (names->used + needed + spare > names->part.end - names->part.start) return NULL;
  if (!store_name_room(store, needed + spare)) return NULL;
  const struct store_window *window = &names->window[names->windows - 1];
  char *at = window->at + (names->used - window->from);
  memcpy(at, &id, sizeof(id));
  memcpy(at + sizeof(id), name, length);
  at[sizeof(id) + length] = '\0';
  names->used += needed;
  store_publish_names(store);
  return at + sizeof(id);
}

/* Returns 1 if one more entry fits into the index and the table, otherwise 0. ours: 1 if the entry
 * has one of the runtime's own names, for which two slots are always reserved. The index becomes
 * fuller than half if there is no memory for a larger one. */
static int entry_room(struct record_store *store, int ours) {
  uint32_t next = store->entries + 1, places = store->index->mask + 1;
  if (next > places / 2) new_index(store, 2 * places);
  places = store->index->mask + 1;
  uint32_t most = places - places / 8;
  return next <= most + (ours ? 2 : 0) && segments_have(&store->entry, next + (ours ? 0 : 2)) == 0;
}

/* Marks an entry that may get its name later. */
static const char nameless[] = "";

struct store_entry *store_enter(struct record_store *store, uint64_t id, const char *name,
                                size_t length) {
  struct store_entry *entry = store_find(store, id);
  if (entry && (entry->name != nameless || !name)) return entry;
  if (!entry && !entry_room(store, name && is_ours(name))) return NULL;
  const char *kept = name ? add_name(store, id, name, length) : nameless;
  if (entry && kept) {
    entry->name = kept;
    __atomic_store_n(&entry->name_length, (uint32_t)length, __ATOMIC_RELEASE);
  }
  if (entry || !kept) return entry;
  uint32_t number = store->entries + 1;
  entry = segments_at(&store->entry, number);
  /* Stores the id last, so that an entry whose addition was interrupted stays unused. */
  *entry = (struct store_entry){.name = kept, .name_length = (uint32_t)length};
  store->entries = number;
  struct store_index *index = store->index;
  uint32_t i = (uint32_t)(id >> 17) & index->mask;
  while (index->place[i] != 0)
    i = (i + 1) & index->mask;
  __atomic_store_n(&index->place[i], number, __ATOMIC_RELEASE);
  __atomic_store_n(&entry->id, id, __ATOMIC_RELEASE);
  if (UNLIKELY(name && darshan_names_a_group(name, length))) store_mark_group(store, entry);
  return entry;
}

void store_name_rest(struct record_store *store) {
  if (!store->frame || !store_lock(store)) return;
  for (uint32_t number = 1; number <= store->entries; number++) {
    struct store_entry *entry = segments_at(&store->entry, number);
    if (!entry->id || entry->name != nameless) continue;
    const char *kept = add_name(store, entry->id, nameless, 0);
    if (kept) entry->name = kept;
  }
  store_unlock(store);
}

void store_publish(struct record_store *store, struct store_region *region) {
  uint64_t length = (uint64_t)region->count * region->record_size;
  struct darshan_header *header = header_of(store);
  int id = region->module_id, is_module = id < DARSHAN_MAX_MODULES;
  uint64_t bit = is_module ? UINT64_C(1) << id : 0;
  if (store->journal.has_file && length > region->part.kept) {
    header->partial_flag |= bit;
    return;
  }
  if (!region->folded)
    header->partial_flag &= ~bit; /* it was set because records were outside of the file */
  if (is_module)
    __atomic_store_n(&header->modules[id].len, length, __ATOMIC_RELEASE);
  else if (region->block)
    __atomic_store_n(&region->block->raw_len, length, __ATOMIC_RELEASE);
}

uint32_t store_append_record(struct record_store *store, enum store_module module,
                             struct store_entry *entry, uint32_t spare) {
  struct store_region *region = &store->regions[module];
  if (!store_record_room(store, module, region->count + 1 + spare)) return NO_RECORD;
  uint32_t number = region->count + 1;
  struct darshan_base_record *record = store_record(store, module, number);
  record->id = entry->id;
  record->rank = store->rank;
  region->newest = entry;
  COMPILER_FENCE();
  entry->record[module] = number;
  COMPILER_FENCE();
  __atomic_store_n(&region->count, number, __ATOMIC_RELEASE);
  store_publish(store, region);
  return number;
}

void *store_next_record(struct record_store *store, enum store_module module) {
  uint32_t number = store->regions[module].count + 1;
  return store_record_room(store, module, number + 1) ? store_record(store, module, number) : NULL;
}

int store_is_full(const struct record_store *store, enum store_module module) {
  const struct store_region *region = &store->regions[module];
  return region->count - region->groups - (region->overflow != NO_RECORD) >= region->limit;
}

void store_lower_limit(struct record_store *store, enum store_module module, uint32_t limit) {
  if (store->regions[module].limit > limit) store->regions[module].limit = limit;
}

/* Makes a record of the entry, and reserves space for the overflow record. Returns the record's
 * number, or NO_RECORD if the module is full or out of memory. The caller holds the store's
 * lock. */
uint32_t store_new_record(struct record_store *store, enum store_module module,
                          struct store_entry *entry) {
  if (store_is_full(store, module)) return NO_RECORD;
  return store_append_record(store, module, entry, store->regions[module].overflow ? 0 : 1);
}

void store_fold(struct record_store *store, enum store_module module) {
  struct store_region *region = &store->regions[module];
  if (region->folded) return;
  region->folded = 1;
  if (region->module_id < DARSHAN_MAX_MODULES)
    header_of(store)->partial_flag |= UINT64_C(1) << region->module_id;
  else if (region->block)
    region->block->flags |= DARSHAN_ANNEX_PARTIAL;
}

struct overflow {
  struct record_store *store;
  enum store_module module;
};

static void make_overflow(void *overflow_) {
  struct record_store *store = ((struct overflow *)overflow_)->store;
  enum store_module module = ((struct overflow *)overflow_)->module;
  uint64_t id = darshan_hash(OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1, 0);
  struct store_entry *entry = store_enter(store, id, OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1);
  if (entry && !entry->record[module]) store_append_record(store, module, entry, 0);
  if (!entry || !entry->record[module]) {
    store->unrecorded = 1;
    return;
  }
  store_fold(store, module);
  store->regions[module].overflow = entry->record[module];
  store_mark_group(store, entry);
}

/* Returns the number of the module's overflow record, which is made if necessary; NO_RECORD if out
 * of memory. It is made on a stack of the runtime, because callers have little stack left. */
uint32_t store_overflow_record(struct record_store *store, enum store_module module) {
  const struct store_region *region = &store->regions[module];
  if (!region->overflow) stack_run_anyway(make_overflow, &(struct overflow){store, module});
  return region->overflow;
}

uint32_t store_record_number(struct record_store *store, enum store_module module,
                             struct store_entry *entry) {
  uint32_t number = entry ? entry->record[module] : NO_RECORD;
  if (entry && !number) number = store_new_record(store, module, entry);
  if (entry && !number && entry->record[STORE_GROUP]) number = store_share(store, module, entry);
  return number ? number : store_overflow_record(store, module);
}

/* Returns the number of the record of this name, which is made if necessary. Past the limit,
 * returns that of the overflow record and adds no name, because a process may have any number of
 * datasets. */
uint32_t store_number_of_name(struct record_store *store, enum store_module module, uint64_t id,
                              const char *name, size_t length) {
  struct store_entry *entry = store_find(store, id);
  if (!entry && !store_is_full(store, module)) entry = store_enter(store, id, name, length);
  return store_record_number(store, module, entry);
}

/* Transfers the record of the entry `from` to the entry `to`. Returns 1, or 0 if `from` has no
 * record of its own, `to` has a record already, or one of them is NULL. The name of `to` is in the
 * journal before the record gets its id. */
int store_pass_record(struct record_store *store, enum store_module module,
                      struct store_entry *from, struct store_entry *to) {
  if (!from || !to || !from->record[module] || to->record[module]) return 0;
  uint32_t number = from->record[module];
  if (number == store->regions[module].overflow) return 0;
  struct darshan_base_record *record = store_record(store, module, number);
  to->record[module] = number;
  COMPILER_FENCE();
  __atomic_store_n(&record->id, to->id, __ATOMIC_RELEASE);
  from->record[module] = NO_RECORD;
  return 1;
}

int store_names_are_full(const struct record_store *store) {
  enum { USUAL = 256 };
  const struct store_part *part = &store->names.part;
  return part->end - part->start - store->names.used < STORE_OWN_NAME_BYTES + USUAL;
}

void store_set_aside(struct record_store *store, enum store_module module) {
  if (!store_lock(store)) return;
  segments_have(&store->entry, store->entries + 2);
  store_record_room(store, module, store->regions[module].count + 1);
  store_unlock(store);
}

int store_lock_for(struct record_store *store, enum store_module module) {
  store_make_room(store, module);
  return store_lock(store);
}

/* Releases the lock. Then moves data from private memory to the file, because no further record of
 * the module may follow. */
void store_unlock_for(struct record_store *store, enum store_module module) {
  store_unlock(store);
  store_make_room(store, module);
}

void *store_record(const struct record_store *store, enum store_module module, uint32_t number) {
  return segments_at(&store->regions[module].records, number - 1);
}

struct store_fill store_fill(const struct record_store *store, enum store_module module) {
  const struct store_region *region = &store->regions[module];
  return (struct store_fill){region->count, region->limit, region->overflow};
}

int store_is_empty(const struct record_store *store) {
  return store->entries == 0;
}

int64_t store_rank(const struct record_store *store) {
  return store->rank;
}
