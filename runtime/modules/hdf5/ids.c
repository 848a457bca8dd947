/* What the ids of the libraries stand for. */
#include "hdf5.h"

#include <string.h>
#include <sys/mman.h>

struct hdf5_state hdf5_state;

int h5_start(void) {
  struct hdf5_state *hdf5 = &hdf5_state;
  segments_prepare(&hdf5->files, sizeof(struct h5_file), SEGMENTS_PAGE);
  segments_prepare(&hdf5->datasets, sizeof(struct h5_dataset), SEGMENTS_PAGE);
  store_beside(&darshan_store, STORE_H5F, &hdf5->files);
  store_beside(&darshan_store, STORE_H5D, &hdf5->datasets);
  return 0;
}

/* The first call of an HDF5 function: a process without one pays nothing. */
void h5_prepare(void) {
  struct hdf5_state *hdf5 = &hdf5_state;
  if (hdf5->prepared) return;
  struct h5_id *ids = runtime_module_memory(H5_IDS * sizeof(struct h5_id));
  int begun;
  if (!spin_lock_alone(SPIN_RECORD, &hdf5->lock, &begun)) return;
  if (!hdf5->prepared && ids) {
    hdf5->ids = ids;
    hdf5->prepared = 1;
  }
  spin_unlock_alone(&hdf5->lock, begun);
}

/* In a forked child everything starts anew; what is open is met when used. */
void h5_forked(void) {
  struct hdf5_state *hdf5 = &hdf5_state;
  hdf5->lock = 0;
  hdf5->prepared = 0;
  segments_clear(&hdf5->files);
  segments_clear(&hdf5->datasets);
}

static uint32_t place_of(const struct h5_library *lib, int64_t id) {
  return (uint32_t)(((uint64_t)id * UINT64_C(0x9E3779B97F4A7C15) >> 40) + lib->common.number) %
         H5_IDS;
}

static int64_t key_of(const struct h5_library *lib, int64_t id) {
  return lib->narrow_ids ? (int64_t)(int32_t)id : id;
}

static struct h5_id *find(const struct h5_library *lib, int64_t id) {
  struct h5_id *ids = hdf5_state.ids;
  for (uint32_t i = place_of(lib, id), n = 0; n < H5_IDS; i = (i + 1) % H5_IDS, n++) {
    if (ids[i].library == lib->common.number && ids[i].id == id && !ids[i].deleted) return &ids[i];
    if (ids[i].library == 0) return NULL;
  }
  return NULL;
}

struct h5_known h5_known(const struct h5_library *lib, int64_t id) {
  struct hdf5_state *hdf5 = &hdf5_state;
  struct h5_known known = {.id = key_of(lib, id)};
  if (!hdf5->prepared || !record_lock(&hdf5->lock)) return known;
  const struct h5_id *entry = find(lib, known.id);
  if (entry) {
    known.kind = entry->kind;
    if (known.kind == H5_DATASET) {
      known.dataset = h5_dataset_at(entry->number);
      known.file = h5_file_at(known.dataset->file);
    } else
      known.file = h5_file_at(entry->number);
  }
  record_unlock(&hdf5->lock);
  return known;
}

void h5_remember(const struct h5_library *lib, int64_t id, enum h5_kind kind, uint32_t number) {
  struct hdf5_state *hdf5 = &hdf5_state;
  id = key_of(lib, id);
  if (!number || !record_lock(&hdf5->lock)) return;
  struct h5_id *entry = find(lib, id);
  uint32_t i = place_of(lib, id);
  for (uint32_t n = 0; !entry && n < H5_IDS; n++, i = (i + 1) % H5_IDS)
    if (hdf5->ids[i].library == 0 || hdf5->ids[i].deleted) entry = &hdf5->ids[i];
  if (!entry) runtime_table_full();
  if (entry) *entry = (struct h5_id){id, lib->common.number, (uint16_t)kind, 0, number};
  record_unlock(&hdf5->lock);
}

void h5_forget(const struct h5_library *lib, int64_t id) {
  struct hdf5_state *hdf5 = &hdf5_state;
  if (!hdf5->prepared || !record_lock(&hdf5->lock)) return;
  struct h5_id *entry = find(lib, key_of(lib, id));
  if (entry) {
    entry->deleted = 1;
    /* A run of deleted places that ends at a free one is free again. */
    uint32_t i = (uint32_t)(entry - hdf5->ids);
    while (hdf5->ids[i].deleted && hdf5->ids[(i + 1) % H5_IDS].library == 0) {
      hdf5->ids[i] = (struct h5_id){0, 0, 0, 0, 0};
      i = (i + H5_IDS - 1) % H5_IDS;
    }
  }
  record_unlock(&hdf5->lock);
}

/* H5close, or the library was unloaded: every id of it ends, and the numbers
 * will come again. */
void h5_forget_all(const struct h5_library *lib) {
  struct hdf5_state *hdf5 = &hdf5_state;
  if (!hdf5->prepared || !record_lock(&hdf5->lock)) return;
  for (uint32_t i = 0; i < H5_IDS; i++)
    if (hdf5->ids[i].library == lib->common.number) hdf5->ids[i].deleted = 1;
  record_unlock(&hdf5->lock);
}
