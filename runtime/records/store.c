#include "store.h"

#include <string.h>
#include <sys/mman.h>

#include "../intercept/guard.h"
#include "../intercept/spin.h"
#include "../intercept/sys.h"
#include "../modules/heatmap/heatmap-state.h"
#include "record-id.h"

enum {
  PAGE = 4096,
  JOB_START = sizeof(struct darshan_header),
  NAMES_START = JOB_START + DARSHAN_JOB_REGION_MAX,
  FIRST_ROOM = 4 * PAGE, /* the frame and the first names */
  /* Room that the names of our own two records need, always kept. */
  RESERVED_NAME_BYTES = 2 * (8 + sizeof(OTHER_PATHS_NAME))
};

#define MODULE(id, SYMBOL, name, PREFIX, version, KIND) VERSION_##SYMBOL = version,
enum {
#include "modules.def"
};
#undef MODULE

static const struct {
  int id, version;
  uint32_t record_size;
} shapes[STORE_MODULES] = {
    {DARSHAN_MOD_POSIX, VERSION_POSIX, sizeof(struct darshan_posix_record)},
    {DARSHAN_MOD_MPIIO, VERSION_MPIIO, sizeof(struct darshan_mpiio_record)},
    {DARSHAN_MOD_H5F, VERSION_H5F, sizeof(struct darshan_h5f_record)},
    {DARSHAN_MOD_H5D, VERSION_H5D, sizeof(struct darshan_h5d_record)},
    {DARSHAN_MOD_PNETCDF_FILE, VERSION_PNETCDF_FILE, sizeof(struct darshan_pnetcdf_file_record)},
    {DARSHAN_MOD_PNETCDF_VAR, VERSION_PNETCDF_VAR, sizeof(struct darshan_pnetcdf_var_record)},
    {DARSHAN_MOD_STDIO, VERSION_STDIO, sizeof(struct darshan_stdio_record)},
    {DARSHAN_MOD_HEATMAP, VERSION_HEATMAP, sizeof(struct heatmap_record)},
    {DARSHAN_MOD_POSIX_EXT, VERSION_POSIX_EXT, sizeof(struct darshan_posix_ext_record)},
    {DARSHAN_MOD_H5_META, VERSION_H5_META, sizeof(struct darshan_h5_meta_record)},
    {DARSHAN_MOD_LAYERS, VERSION_LAYERS, sizeof(struct darshan_layers_record)},
    {DARSHAN_MOD_MPIIO_EXT, VERSION_MPIIO_EXT, sizeof(struct darshan_mpiio_ext_record)}};

static size_t page_up(size_t n) {
  return (n + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static struct darshan_header *header_of(struct record_store *store) {
  return (struct darshan_header *)store->journal.base;
}

/* Stands right before the records of a module of the annex. */
static struct darshan_annex_block *annex_block(struct record_store *store,
                                               const struct store_region *region) {
  return (struct darshan_annex_block *)(store->journal.base + region->part.start) - 1;
}

/* Room for the records of the log, given to the modules that most processes use
 * before the others.  Neither the annex nor the few heat maps count against
 * MODMEM. */
static void share_room(struct record_store *store, const struct store_limits *limits) {
  static const int order[] = {STORE_POSIX, STORE_STDIO,        STORE_MPIIO,      STORE_H5F,
                              STORE_H5D,   STORE_PNETCDF_FILE, STORE_PNETCDF_VAR};
  uint64_t room = limits->module_bytes;
  for (int i = 0; i < STORE_MODULES; i++)
    store->regions[i].limit = limits->records[i];
  for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
    struct store_region *region = &store->regions[order[i]];
    uint64_t fits = room / shapes[order[i]].record_size;
    if (region->limit > fits) region->limit = (uint32_t)fits;
    room -= (uint64_t)region->limit * shapes[order[i]].record_size;
  }
}

/* Returns where the region ends; one record more than the limit, for the overflow. */
static size_t place_region(struct store_region *region, int shape, size_t start) {
  uint32_t size = shapes[shape].record_size;
  region->module_id = shapes[shape].id;
  region->version = (uint32_t)shapes[shape].version;
  region->record_size = size;
  region->part = (struct journal_part){.start = start};
  region->part.end = page_up(start + ((size_t)region->limit + 1) * size);
  return region->part.end;
}

int store_prepare(struct record_store *store, const struct store_limits *limits) {
  memset(store, 0, sizeof(*store));
  store->names = (struct journal_part){.start = NAMES_START};
  size_t end = store->names.end = page_up(FIRST_ROOM + limits->name_bytes);
  uint64_t entries = 2;
  share_room(store, limits);
  for (int i = 0; i < STORE_MODULES; i++) {
    size_t start = i < STORE_FIRST_ANNEX ? end : end + sizeof(struct darshan_annex_block);
    end = place_region(&store->regions[i], i, start);
    entries += store->regions[i].limit + 1;
  }
  store->journal.size = end + PAGE; /* the trailer ends the last page */
  uint32_t places = 64;
  while (places < 2 * entries)
    places *= 2;
  store->index_mask = places - 1;
  store->index = journal_private_memory((size_t)places * sizeof(uint32_t));
  store->entry = journal_private_memory((places / 2 + 1) * sizeof(struct store_entry));
  return store->index && store->entry ? 0 : -1;
}

static void write_trailer(struct record_store *store) {
  struct darshan_annex_trailer *trailer =
      (struct darshan_annex_trailer *)(store->journal.base + store->journal.size) - 1;
  size_t first = store->regions[STORE_FIRST_ANNEX].part.start - sizeof(struct darshan_annex_block);
  memcpy(trailer->magic, DARSHAN_ANNEX_MAGIC, sizeof(trailer->magic));
  trailer->version = DARSHAN_ANNEX_VERSION;
  trailer->num_blocks = STORE_MODULES - STORE_FIRST_ANNEX;
  trailer->offset = first;
  trailer->length = store->regions[STORE_MODULES - 1].part.end - first;
  trailer->flags = DARSHAN_ANNEX_LIVE;
}

/* The head of one block and room behind it: a page. */
static int reserve_block(struct record_store *store, struct store_region *region) {
  size_t start = region->part.start - sizeof(struct darshan_annex_block);
  struct journal_part head = {.start = start, .end = start + PAGE};
  if (journal_reserve(&store->journal, &head, PAGE) < 0) return -1;
  region->part.usable = PAGE - sizeof(struct darshan_annex_block);
  if (head.kept) region->part.kept = region->part.usable;
  struct darshan_annex_block *block = annex_block(store, region);
  block->module = (uint32_t)region->module_id;
  block->version = region->version;
  block->comp_type = DARSHAN_UNCOMPRESSED;
  block->stored_len = region->part.end - region->part.start;
  return 0;
}

/* All blocks are there from the first record on, because a reader goes from one
 * to the next; the trailer, in the last page, comes last. */
static void reserve_annex(struct record_store *store) {
  struct journal_part last = {.start = store->journal.size - PAGE, .end = store->journal.size};
  if (store->annex_ready) return;
  store->annex_ready = 1;
  for (int i = STORE_FIRST_ANNEX; i < STORE_MODULES; i++)
    if (reserve_block(store, &store->regions[i]) < 0) return;
  if (journal_reserve(&store->journal, &last, PAGE) == 0) write_trailer(store);
}

int store_map(struct record_store *store, const struct darshan_job *job, const char *job_text,
              size_t job_text_length) {
  struct journal_part frame = {.start = 0, .end = FIRST_ROOM};
  if (journal_map(&store->journal, store->journal.size) < 0) return -1;
  int result = journal_reserve(&store->journal, &frame, frame.end);
  /* The first record is usually one of POSIX; reserving is cheaper now. */
  journal_reserve(&store->journal, &store->regions[STORE_POSIX].part, 1);
  journal_ready(&store->journal);
  if (result < 0) return -1;
  store->names.usable = frame.end - NAMES_START;
  store->names.kept = frame.kept ? frame.kept - NAMES_START : 0;
  struct darshan_header *header = header_of(store);
  header->comp_type = DARSHAN_UNCOMPRESSED;
  header->names.off = NAMES_START;
  for (int i = 0; i < STORE_MODULES; i++) {
    int id = store->regions[i].module_id;
    if (id >= DARSHAN_MAX_MODULES) continue;
    header->modules[id].off = store->regions[i].part.start;
    header->module_versions[id] = store->regions[i].version;
  }
  memcpy(store->journal.base + JOB_START, job, sizeof(*job));
  memcpy(store->journal.base + JOB_START + sizeof(*job), job_text, job_text_length);
  memcpy(header->version, DARSHAN_LOG_VERSION, sizeof(DARSHAN_LOG_VERSION));
  header->magic = DARSHAN_LOG_MAGIC; /* last: from now on it is a log */
  return 0;
}

void store_forget(struct record_store *store) {
  /* The old mapping stays: the parent owns its file, and names are in it. */
  size_t size = store->journal.size;
  memset(&store->journal, 0, sizeof(store->journal));
  store->journal.size = size;
  store->names_used = 0;
  store->annex_ready = 0;
  store->names.usable = store->names.kept = 0;
  for (int i = 0; i < STORE_MODULES; i++) {
    struct store_region *region = &store->regions[i];
    region->count = region->overflow = 0;
    region->refused = 0;
    region->part.usable = region->part.kept = 0;
  }
  sys_madvise(store->index, ((size_t)store->index_mask + 1) * sizeof(uint32_t), MADV_DONTNEED);
  store->entries = 0;
  store->lock = 0;
  store->rank = 0; /* a forked child is a process of its own */
}

void store_set_rank(struct record_store *store, int64_t rank) {
  store->rank = rank;
  for (int i = 0; i < STORE_MODULES; i++)
    for (uint32_t number = 1; number <= store->regions[i].count; number++) {
      struct darshan_base_record *record = store_record(store, (enum store_module)i, number);
      record->rank = rank;
    }
}

void store_set_job(struct record_store *store, const struct darshan_job *job) {
  if (store->journal.base) memcpy(store->journal.base + JOB_START, job, sizeof(*job));
}

void store_drop_records(struct record_store *store) {
  for (int i = 0; i < STORE_MODULES; i++)
    store->regions[i].count = store->regions[i].overflow = 0;
  store->names_used = 0;
}

void store_lock(struct record_store *store) {
  while (!spin_lock(SPIN_STORE, &store->lock))
    ;
}
void store_unlock(struct record_store *store) {
  spin_unlock(&store->lock);
}

struct store_entry *store_find(const struct record_store *store, uint64_t id) {
  for (uint32_t i = (uint32_t)(id >> 17) & store->index_mask;; i = (i + 1) & store->index_mask) {
    uint32_t number = __atomic_load_n(&store->index[i], __ATOMIC_ACQUIRE);
    if (number == 0) return NULL;
    if (store->entry[number].id == id) return &store->entry[number];
  }
}

/* Adds the name as the log holds it and tells where it stands. */
static const char *add_name(struct record_store *store, uint64_t id, const char *name,
                            size_t length) {
  size_t needed = sizeof(id) + length + 1;
  int ours = strcmp(name, OVERFLOW_NAME) == 0 || strcmp(name, OTHER_PATHS_NAME) == 0;
  size_t room = store->names.end - store->names.start - (ours ? 0 : RESERVED_NAME_BYTES);
  if (store->names_used + needed > room) return NULL;
  if (journal_reserve(&store->journal, &store->names, store->names_used + needed) < 0) return NULL;
  char *at = store->journal.base + store->names.start + store->names_used;
  memcpy(at, &id, sizeof(id));
  memcpy(at + sizeof(id), name, length);
  at[sizeof(id) + length] = '\0';
  store->names_used += needed;
  if (store->names_used <= store->names.kept || !store->journal.has_file)
    __atomic_store_n(&header_of(store)->names.len, store->names_used, __ATOMIC_RELEASE);
  return at + sizeof(id);
}

struct store_entry *store_enter(struct record_store *store, uint64_t id, const char *name,
                                size_t length) {
  struct store_entry *entry = store_find(store, id);
  if (entry) return entry;
  if (store->entries >= store->index_mask / 2) return NULL;
  const char *kept = add_name(store, id, name, length);
  if (!kept) return NULL;
  uint32_t number = ++store->entries;
  entry = &store->entry[number];
  *entry = (struct store_entry){.id = id, .name = kept, .name_length = (uint32_t)length};
  uint32_t i = (uint32_t)(id >> 17) & store->index_mask;
  while (store->index[i] != 0)
    i = (i + 1) & store->index_mask;
  __atomic_store_n(&store->index[i], number, __ATOMIC_RELEASE);
  return entry;
}

/* Tells the frame of the journal about a new record. */
static void publish(struct record_store *store, struct store_region *region) {
  uint64_t length = (uint64_t)region->count * region->record_size;
  int id = region->module_id;
  if (store->journal.has_file && length > region->part.kept) {
    if (id < DARSHAN_MAX_MODULES) header_of(store)->partial_flag |= UINT64_C(1) << id;
    return;
  }
  if (id < DARSHAN_MAX_MODULES)
    __atomic_store_n(&header_of(store)->modules[id].len, length, __ATOMIC_RELEASE);
  else
    __atomic_store_n(&annex_block(store, region)->raw_len, length, __ATOMIC_RELEASE);
}

static uint32_t append_record(struct record_store *store, enum store_module module, uint64_t id) {
  struct store_region *region = &store->regions[module];
  if (module >= STORE_FIRST_ANNEX) reserve_annex(store);
  size_t needed = ((size_t)region->count + 1) * region->record_size;
  if (journal_reserve(&store->journal, &region->part, needed) < 0) return NO_RECORD;
  uint32_t number = region->count + 1;
  struct darshan_base_record *record = store_record(store, module, number);
  record->id = id;
  record->rank = store->rank;
  region->count = number;
  publish(store, region);
  return number;
}

uint32_t store_new_record(struct record_store *store, enum store_module module,
                          struct store_entry *entry) {
  struct store_region *region = &store->regions[module];
  if (region->count - (region->overflow != NO_RECORD) >= region->limit) return NO_RECORD;
  uint32_t number = append_record(store, module, entry->id);
  if (number) entry->record[module] = number;
  return number;
}

uint32_t store_overflow_record(struct record_store *store, enum store_module module) {
  struct store_region *region = &store->regions[module];
  if (region->overflow) return region->overflow;
  uint64_t id = darshan_hash(OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1, 0);
  struct store_entry *entry = store_enter(store, id, OVERFLOW_NAME, sizeof(OVERFLOW_NAME) - 1);
  if (!entry) return NO_RECORD;
  if (!entry->record[module]) entry->record[module] = append_record(store, module, id);
  region->overflow = entry->record[module];
  if (region->module_id < DARSHAN_MAX_MODULES)
    header_of(store)->partial_flag |= UINT64_C(1) << region->module_id;
  else
    annex_block(store, region)->flags |= DARSHAN_ANNEX_PARTIAL;
  return region->overflow;
}

uint32_t store_record_number(struct record_store *store, enum store_module module,
                             struct store_entry *entry) {
  uint32_t number = entry ? entry->record[module] : NO_RECORD;
  if (entry && !number) number = store_new_record(store, module, entry);
  return number ? number : store_overflow_record(store, module);
}
