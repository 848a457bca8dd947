/* The table that maps the ids of the HDF5 libraries to files and datasets. */
#include "hdf5.h"

struct hdf5_state hdf5_state;

int h5_start(void) {
  struct hdf5_state *hdf5 = &hdf5_state;
  segments_prepare(&hdf5->files, sizeof(struct h5_file), SEGMENTS_PAGE);
  segments_prepare(&hdf5->datasets, sizeof(struct h5_dataset), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_H5F, &hdf5->files);
  store_beside(&darshan_store, STORE_H5D, &hdf5->datasets);
  return 0;
}

static struct h5_ids *table(void) {
  return __atomic_load_n(&hdf5_state.ids, __ATOMIC_ACQUIRE);
}

static struct h5_ids *new_ids(uint32_t places) {
  struct h5_ids *ids = runtime_module_memory(sizeof(*ids) + places * sizeof(struct h5_id));
  if (ids) ids->mask = places - 1;
  return ids;
}

int h5_prepare(void) {
  /* Allocates the table of ids, unless it exists. The first HDF5 file that is used does this, so
   * other processes do not need the memory. */
  struct hdf5_state *hdf5 = &hdf5_state;
  if (table()) return 1;
  struct h5_ids *ids = new_ids(H5_FIRST_IDS);
  int begun;
  if (!spin_lock_alone(SPIN_RECORD, &hdf5->lock, &begun)) return 0;
  if (!hdf5->ids) __atomic_store_n(&hdf5->ids, ids, __ATOMIC_RELEASE);
  spin_unlock_alone(&hdf5->lock, begun);
  return table() != NULL;
}

/* Called in a forked child: empties the table of ids. Objects that are open get records when they
 * are used. */
void h5_forked(void) {
  struct hdf5_state *hdf5 = &hdf5_state;
  hdf5->lock = 0;
  hdf5->ids = NULL;
  segments_clear(&hdf5->files);
  segments_clear(&hdf5->datasets);
}

/* Returns the index of the slot at which the search for an id begins. library: the library's
 * number. Ids of the same kind are consecutive; ids of different kinds differ in the upper bits. */
static inline uint32_t place_of(const struct h5_ids *ids, uint64_t library, int64_t id) {
  uint64_t key = (uint64_t)id ^ (uint64_t)id >> 51;
  return (uint32_t)((key * UINT64_C(0x9E3779B97F4A7C15) >> 40) + library) & ids->mask;
}

/* Returns the id without the upper half of the register, which is undefined if ids are ints. */
static int64_t key_of(const struct h5_library *lib, int64_t id) {
  return lib->narrow_ids ? (int64_t)(int32_t)id : id;
}

/* The slot of an id and its content; NULL and 0 if the id is unknown. */
struct found {
  struct h5_id *place;
  uint64_t means;
};
static const struct found unknown;

static inline struct found find(struct h5_ids *ids, uint64_t library, int64_t id) {
  uint32_t i = place_of(ids, library, id);
  for (uint32_t n = 0; n <= ids->mask; n++, i = (i + 1) & ids->mask) {
    struct h5_id *place = &ids->place[i];
    uint64_t means = __atomic_load_n(&place->means, __ATOMIC_ACQUIRE);
    if (means == 0) return unknown;
    if (means >> 40 != library || __atomic_load_n(&place->id, __ATOMIC_ACQUIRE) != id) continue;
    if (__atomic_load_n(&place->means, __ATOMIC_RELAXED) != means) return unknown; /* closed */
    return (struct found){place, means};
  }
  return unknown;
}

/* Returns 1 if the tables are those of this process, otherwise 0. In a forked child they are the
 * parent's until the first event; runtime_enter counts as such an event and resets them. */
__attribute__((noinline)) static int may_look(void) {
  if (!runtime_enter()) return 0;
  runtime_leave();
  return 1;
}

/* Returns the slot of an id and its content; NULL and 0 if the id is unknown. Takes no lock. */
static inline struct found look_up(const struct h5_library *lib, int64_t id) {
  if (UNLIKELY(runtime_phase() != RUNTIME_RECORDING) && !may_look()) return unknown;
  struct h5_ids *ids = table();
  return LIKELY(ids != NULL) ? find(ids, lib->common.number, id) : unknown;
}

static enum h5_kind kind_of(uint64_t means) {
  return (enum h5_kind)(means >> 32 & 0xff);
}

/* Returns the file of a slot's content; NULL if that is 0. */
static inline struct h5_file *file_of(uint64_t means) {
  uint32_t number = (uint32_t)means;
  if (!means) return NULL;
  return h5_file_at(kind_of(means) == H5_DATASET ? h5_dataset_at(number)->file : number);
}

struct h5_known h5_known(const struct h5_library *lib, int64_t id) {
  struct h5_known known = {.id = key_of(lib, id)};
  struct found found = look_up(lib, known.id);
  known.place = found.place;
  known.means = found.means;
  known.kind = kind_of(known.means);
  if (known.kind == H5_DATASET) known.dataset = h5_dataset_at((uint32_t)known.means);
  known.file = file_of(known.means);
  return known;
}

struct h5_file *h5f_of(struct h5_library *lib, int64_t id) {
  struct h5_file *file = file_of(look_up(lib, key_of(lib, id)).means);
  return LIKELY(file != NULL) ? file : h5f_of_unknown(lib, id);
}

/* Returns the slot of an id or, if the id is not in the table, a free slot; NULL if the table is
 * full. The caller holds the lock. */
static struct h5_id *place_for(struct h5_ids *ids, uint64_t library, int64_t id) {
  struct h5_id *deleted = NULL;
  uint32_t i = place_of(ids, library, id);
  for (uint32_t n = 0; n <= ids->mask; n++, i = (i + 1) & ids->mask) {
    struct h5_id *place = &ids->place[i];
    if (place->means == 0) return deleted ? deleted : place;
    if (place->means == H5_DELETED && !deleted) deleted = place;
    if (place->means >> 40 == library && place->id == id) return place;
  }
  return deleted;
}

/* Stores an id and its meaning in a slot. The caller holds the lock. */
static inline void put(struct h5_ids *ids, struct h5_id *place, int64_t id, uint64_t means) {
  ids->live += place->means == 0 || place->means == H5_DELETED;
  __atomic_store_n(&place->id, id, __ATOMIC_RELEASE);
  __atomic_store_n(&place->means, means, __ATOMIC_RELEASE);
}

/* Replaces the table by one twice as large and returns the new table. If out of memory, returns the
 * old table, which fills up further. The caller holds the lock. */
static struct h5_ids *grown(struct h5_ids *ids) {
  uint32_t places = ids->mask + 1;
  struct h5_ids *larger = new_ids(2 * places);
  for (uint32_t i = 0; larger && i < places; i++) {
    const struct h5_id *from = &ids->place[i];
    if (from->means == 0 || from->means == H5_DELETED) continue;
    put(larger, place_for(larger, from->means >> 40, from->id), from->id, from->means);
  }
  if (larger) __atomic_store_n(&hdf5_state.ids, larger, __ATOMIC_RELEASE);
  return larger ? larger : ids;
}

static inline struct h5_ids *with_room(struct h5_ids *ids) {
  return UNLIKELY(ids->live > ids->mask / 2 && ids->mask + 1 < H5_IDS) ? grown(ids) : ids;
}

void h5_remember(const struct h5_library *lib, int64_t id, enum h5_kind kind, uint32_t number) {
  struct hdf5_state *hdf5 = &hdf5_state;
  uint64_t library = lib->common.number;
  id = key_of(lib, id);
  if (!number || !record_lock(&hdf5->lock)) return;
  struct h5_ids *ids = hdf5->ids ? with_room(hdf5->ids) : NULL;
  struct h5_id *place = ids ? place_for(ids, library, id) : NULL;
  if (LIKELY(place != NULL))
    put(ids, place, id, H5_MEANS(library, kind, number));
  else
    runtime_table_full();
  record_unlock(&hdf5->lock);
}

/* Marks a slot as deleted, and frees the deleted slots directly before a free slot. The caller
 * holds the lock. */
static void forget_place(struct h5_ids *ids, struct h5_id *place) {
  uint32_t i = (uint32_t)(place - ids->place);
  __atomic_store_n(&place->means, H5_DELETED, __ATOMIC_RELEASE);
  ids->live--;
  while (ids->place[i].means == H5_DELETED && ids->place[(i + 1) & ids->mask].means == 0) {
    __atomic_store_n(&ids->place[i].means, 0, __ATOMIC_RELEASE);
    i = (i - 1) & ids->mask;
  }
}

/* Returns 1 if a slot that was found without the lock is unchanged, otherwise 0. The caller holds
 * the lock. */
static inline int is_still(const struct h5_ids *ids, const struct h5_known *known) {
  return ids && known->place >= ids->place && known->place <= ids->place + ids->mask &&
         known->place->means == known->means && known->place->id == known->id;
}

void h5_forget_known(const struct h5_library *lib, const struct h5_known *known) {
  struct hdf5_state *hdf5 = &hdf5_state;
  struct h5_id *place = known->place;
  if (!place || !record_lock(&hdf5->lock)) return;
  if (UNLIKELY(!is_still(hdf5->ids, known)))
    place = hdf5->ids ? find(hdf5->ids, lib->common.number, known->id).place : NULL;
  if (LIKELY(place != NULL)) forget_place(hdf5->ids, place);
  record_unlock(&hdf5->lock);
}

/* Removes an id from the table. Takes no lock if the table does not have it, which is so for most
 * new ids. */
void h5_forget(const struct h5_library *lib, int64_t id) {
  struct found found = look_up(lib, key_of(lib, id));
  struct h5_known known = {.id = key_of(lib, id), .place = found.place, .means = found.means};
  h5_forget_known(lib, &known);
}

/* Removes all ids of a library from the table. Called after H5close, or after the library was
 * unloaded: they are invalid, and their values will be reused. */
void h5_forget_all(const struct h5_library *lib) {
  struct hdf5_state *hdf5 = &hdf5_state;
  if (!table() || !record_lock(&hdf5->lock)) return;
  for (uint32_t i = 0; hdf5->ids && i <= hdf5->ids->mask; i++)
    if (hdf5->ids->place[i].means >> 40 == lib->common.number)
      forget_place(hdf5->ids, &hdf5->ids->place[i]);
  record_unlock(&hdf5->lock);
}
