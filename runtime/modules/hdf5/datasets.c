/* H5D: opens and closes datasets, and records their properties. */
#include "hdf5.h"

#include <string.h>

#include "../../names/path-buffers.h"
#include "modules/hdf5/records.h"
#include "modules/layers/records.h"
#include "record-id.h"

enum { DATASET_NAME_ROOM = DARSHAN_PATH_ROOM, FRAME = 5, RANK_MOST = 32 };
enum { CONTIGUOUS = 1, CHUNKED = 2 }; /* values of H5D_layout_t */

/* Returns a text that replaces the path of a dataset that was created without a name or opened by a
 * reference: the library does not know its path and would search the whole file for it. Returns
 * NULL for other datasets. how: H5D_ flags. */
static const char *pathless(int how) {
  if (how & H5D_ANONYMOUS) return "<anonymous>"; /* until the dataset is linked, see h5d_linked */
  return how & H5D_REFERRED ? "<by reference>" : NULL;
}

/* Writes "FILE:PATH" to out, which has DATASET_NAME_ROOM bytes: the file's name and the path of the
 * dataset in the file, or a fixed text (pathless) if it has none. A long path is truncated. Returns
 * the length; 0 if there is no space for a path or the library lacks H5Iget_name. */
static size_t name_of(struct h5_library *lib, int64_t id, const struct h5_file *file, int how,
                      char *out) {
  size_t length = file->name_length;
  const char *instead = pathless(how);
  if (!lib->H5Iget_name || length + 2 > DATASET_NAME_ROOM) return 0;
  memcpy(out, file->name, length);
  out[length++] = ':';
  size_t room = DATASET_NAME_ROOM - 1 - length;
  ssize_t path = instead ? 0 : lib->H5Iget_name(id, out + length, room + 1);
  if (path <= 0) {
    if (!instead) instead = pathless(H5D_ANONYMOUS);
    path = (ssize_t)strlen(instead);
    if ((size_t)path > room) return 0;
    memcpy(out + length, instead, (size_t)path + 1);
  }
  return length + ((size_t)path < room ? (size_t)path : room);
}

/* Returns the number of the H5D record of this name, which is made if necessary; that of the
 * overflow record if the name is unknown (length is 0) or too long, or beyond the limit of records;
 * 0 if there is no space. The caller holds the store's lock. */
static uint32_t record_of(const char *name, size_t length) {
  struct record_store *store = &darshan_store;
  if (!length || length > DARSHAN_NAME_MAX) return store_overflow_record(store, STORE_H5D);
  return store_number_of_name(store, STORE_H5D, darshan_hash(name, length, 0), name, length);
}

/* Reads the layout (into dataset->layout), the lengths of a chunk (in elements) and the number of
 * filters of a dataset from its creation property list. plist 0: the default, a contiguous dataset
 * without filters; `lengths` and *filters, which the caller has set to 0, then stay unchanged.
 * Returns the number of dimensions of a chunk; 0 without chunks, negative if the library fails. */
static int ask_storage(struct h5_library *lib, int64_t plist, struct h5_dataset *dataset,
                       uint64_t lengths[RANK_MOST], int *filters) {
  int dimensions = 0;
  if (plist == 0) {
    dataset->layout = CONTIGUOUS;
    return 0;
  }
  if (lib->H5Pget_layout) dataset->layout = lib->H5Pget_layout(plist);
  if (dataset->layout == CHUNKED && lib->H5Pget_chunk)
    dimensions = lib->H5Pget_chunk(plist, RANK_MOST, lengths);
  if (lib->H5Pget_nfilters) *filters = lib->H5Pget_nfilters(plist);
  return dimensions;
}

/* Stores the dataset's layout, bytes of a chunk and number of filters, which are fixed at its
 * creation, in its LAYERS record, and the lengths of the last five dimensions of a chunk in
 * `chunk`, the last dimension first. Takes them from `made`, or, if that is NULL, queries the
 * library. */
static void note_storage(struct h5_library *lib, int64_t id, struct h5_dataset *dataset,
                         const struct h5_made *made, int64_t chunk[FRAME]) {
  uint64_t lengths[RANK_MOST] = {0};
  int filters = 0, dimensions = 0;
  int64_t asked = !made && lib->H5Dget_create_plist ? lib->H5Dget_create_plist(id) : -1;
  dataset->layout = -1;
  if (made || asked >= 0)
    dimensions = ask_storage(lib, made ? made->plist : asked, dataset, lengths, &filters);
  if (asked >= 0) lib->H5Pclose(asked);
  int64_t chunk_bytes = dimensions > 0 ? dataset->type_size : 0;
  for (int i = 0; i < dimensions && i < RANK_MOST; i++) {
    chunk_bytes *= (int64_t)lengths[i];
    if (dimensions - 1 - i < FRAME) chunk[dimensions - 1 - i] = (int64_t)lengths[i];
  }
  struct darshan_layers_record *record = layer_lock(&dataset->layer);
  if (!record) return;
  record->counters[LAYERS_LAYOUT] = dataset->layout;
  record->counters[LAYERS_FILTERS] = filters;
  record->counters[LAYERS_CHUNK_BYTES] = chunk_bytes;
  layer_unlock(&dataset->layer);
}

/* Stores bytes, slots and preemption of the chunk cache of a chunked dataset in its LAYERS record.
 * Each open may set another size; the record has that of the last open. */
static void note_cache(struct h5_library *lib, int64_t id, struct h5_dataset *dataset) {
  size_t slots = 0, bytes = 0;
  double preemption = 0;
  int64_t plist = dataset->layout == CHUNKED && lib->H5Dget_access_plist && lib->H5Pget_chunk_cache
                      ? lib->H5Dget_access_plist(id)
                      : -1;
  if (plist < 0) return;
  lib->H5Pget_chunk_cache(plist, &slots, &bytes, &preemption);
  lib->H5Pclose(plist);
  struct darshan_layers_record *record = layer_lock(&dataset->layer);
  if (!record) return;
  record->counters[LAYERS_CHUNK_CACHE_BYTES] = (int64_t)bytes;
  record->counters[LAYERS_CHUNK_CACHE_SLOTS] = (int64_t)slots;
  record->fcounters[LAYERS_F_CHUNK_CACHE_PREEMPTION] = preemption;
  layer_unlock(&dataset->layer);
}

/* Stores the number of dimensions and of elements of the dataset in its state. made: the arguments
 * of the call that created it; NULL: queries the library. */
static void note_extent(struct h5_library *lib, int64_t id, struct h5_dataset *dataset,
                        const struct h5_made *made) {
  int64_t asked = !made && lib->H5Dget_space ? lib->H5Dget_space(id) : -1;
  if (!made && asked < 0) return;
  int64_t space = made ? made->space : asked;
  dataset->dimensions = lib->H5Sget_simple_extent_ndims(space);
  dataset->points = lib->H5Sget_simple_extent_npoints(space);
  if (asked >= 0) lib->H5Sclose(asked);
}

static void note_type(struct h5_library *lib, int64_t id, struct h5_dataset *dataset,
                      const struct h5_made *made) {
  int64_t asked = !made && lib->H5Dget_type ? lib->H5Dget_type(id) : -1;
  if (made || asked >= 0) dataset->type_size = (int64_t)lib->H5Tget_size(made ? made->type : asked);
  if (asked >= 0) lib->H5Tclose(asked);
}

/* Stores the size of the dataset's type and the lengths of its chunks in its record, and its
 * storage in its LAYERS record. made: as in note_storage. Not inlined, so that its stack is not in
 * use while the dataset is looked up. */
__attribute__((noinline)) static void note_shape(struct h5_library *lib, int64_t id,
                                                 struct h5_dataset *dataset,
                                                 const struct h5_made *made) {
  int64_t chunk[FRAME] = {0};
  note_type(lib, id, dataset, made);
  note_storage(lib, id, dataset, made, chunk);
  if (!record_lock(&dataset->lock)) return;
  dataset->record->counters[H5D_DATATYPE_SIZE] = dataset->type_size;
  for (int i = 0; i < FRAME; i++)
    dataset->record->counters[H5D_CHUNK_SIZE_D1 + i] = chunk[i];
  dataset->described = 1;
  record_unlock(&dataset->lock);
}

/* Stores the properties of a dataset that was just opened or created (made: as in note_storage):
 * extent and chunk cache at each open; the other properties, for which the library needs
 * microseconds, only when the dataset is created or first opened. */
static void describe(struct h5_library *lib, int64_t id, struct h5_dataset *dataset,
                     const struct h5_made *made) {
  if (made || !dataset->described) note_shape(lib, id, dataset, made);
  note_extent(lib, id, dataset, made);
  note_cache(lib, id, dataset);
  if (!record_lock(&dataset->lock)) return;
  dataset->record->counters[H5D_DATASPACE_NDIMS] = dataset->dimensions;
  dataset->record->counters[H5D_DATASPACE_NPOINTS] = dataset->points;
  record_unlock(&dataset->lock);
}

/* Returns the number of the dataset of this name ("FILE:PATH") in `file`, makes its records if
 * necessary, and counts one more id that was opened for it. Returns 0 if the dataset is not
 * recorded. length 0: no name, or a name that cannot be stored. how: H5D_ flags. */
static uint32_t dataset_of_name(const struct h5_file *file, const char *name, size_t length,
                                int how) {
  if (!runtime_enter()) return 0;
  if (!store_lock_for(&darshan_store, STORE_H5D)) {
    runtime_leave();
    return 0;
  }
  uint32_t number = record_of(name, length);
  struct h5_dataset *dataset = number ? h5_dataset_at(number) : NULL;
  if (dataset && !dataset->record) {
    dataset->record = store_record(&darshan_store, STORE_H5D, number);
    dataset->file = h5f_number(file);
    dataset->record->file_rec_id = file->record->base.id;
    dataset->anonymous = (how & H5D_ANONYMOUS) != 0;
  }
  if (dataset) dataset->met++;
  store_unlock(&darshan_store);
  if (dataset)
    layer_attach(&dataset->layer, dataset->record->base.id, name, length, DARSHAN_MOD_H5D);
  runtime_leave();
  return number;
}

__attribute__((noinline)) static uint32_t dataset_of(struct h5_library *lib, int64_t id,
                                                     const struct h5_file *file, int how) {
  struct path_buffer *name = path_buffer_take();
  size_t length = name ? name_of(lib, id, file, how, name->bytes) : 0;
  uint32_t number = dataset_of_name(file, length ? name->bytes : "", length, how);
  path_buffer_give(name);
  return number;
}

/* Returns the file of a dataset; NULL if it is not recorded. A new dataset (made: the arguments of
 * its creation) is in the file of its location, unless its path leads through a link to another
 * file; otherwise the library is queried. */
static struct h5_file *file_of(struct h5_library *lib, int64_t id, const struct h5_made *made) {
  if (!made || (made->name && strchr(made->name, '/'))) return h5f_of(lib, id);
  struct h5_known location = h5_known(lib, made->location);
  int is_place = location.kind == H5_FILE || location.kind == H5_GROUP;
  return is_place ? location.file : h5f_of(lib, id);
}

/* Returns the dataset of an id that was just opened, or whose open was not seen. Makes its record
 * if necessary; returns NULL if it is not recorded. made: the arguments of the call that created
 * the dataset, NULL if it was opened. */
static struct h5_dataset *meet(struct h5_library *lib, int64_t id, int how,
                               const struct h5_made *made) {
  struct h5_file *file = file_of(lib, id, made);
  if (!file || !module_is_on(DARSHAN_MOD_H5D)) return NULL;
  uint32_t number = dataset_of(lib, id, file, how);
  if (!number) return NULL;
  struct h5_dataset *dataset = h5_dataset_at(number);
  describe(lib, id, dataset, made);
  h5_remember(lib, id, H5_DATASET, number);
  return dataset;
}

static struct h5_dataset *meet_referred(struct h5_library *lib, int64_t id) {
  struct h5_dataset *dataset = meet(lib, id, H5D_REFERRED, NULL);
  if (dataset && record_lock(&dataset->lock)) {
    dataset->record->counters[H5D_OPENS]++;
    record_unlock(&dataset->lock);
  }
  return dataset;
}

struct h5_dataset *h5d_of(struct h5_library *lib, const struct h5_known *known) {
  if (known->dataset) return known->dataset;
  if (known->kind == H5_REFERRED) return meet_referred(lib, known->id);
  return meet(lib, known->id, H5D_OPENED, NULL);
}

static void opened(struct h5_library *lib, int64_t id, int how, const struct h5_made *made,
                   struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  if (id >= 0) h5_forget(lib, id); /* a closed object may have had this id */
  struct h5_dataset *dataset = id >= 0 ? meet(lib, id, how, made) : NULL;
  if (dataset && record_lock(&dataset->lock)) {
    double *times = dataset->record->fcounters;
    struct clock_span at = ticks_span(t1, t2);
    dataset->record->counters[H5D_OPENS]++;
    dataset->record->counters[H5D_USE_DEPRECATED] = (how & H5D_DEPRECATED) != 0;
    record_note_start(&times[H5D_F_OPEN_START_TIMESTAMP], at.start);
    times[H5D_F_OPEN_END_TIMESTAMP] = at.end;
    times[H5D_F_META_TIME] += record_time(&dataset->last_end[0], at);
    record_unlock(&dataset->lock);
  }
  layer_pop(frame, dataset ? &dataset->layer : NULL, t1, t2);
}

void h5d_opened(struct h5_library *lib, int64_t id, int how, struct layer_frame *frame, uint64_t t1,
                uint64_t t2) {
  opened(lib, id, how, NULL, frame, t1, t2);
}

void h5d_created(struct h5_library *lib, int64_t id, int how, struct h5_made *made,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  if (lib->narrow_ids) made->plist = (int64_t)(int32_t)made->plist;
  opened(lib, id, how, made, frame, t1, t2);
}

/* Gives the records of a dataset that was created without a name (H5D and LAYERS) this name, if
 * only one id used them and no record of the new name exists. Otherwise does nothing. */
static void name_anonymous(struct h5_dataset *dataset, const char *name, size_t length) {
  struct record_store *store = &darshan_store;
  if (!runtime_enter()) return;
  if (store_lock_for(store, STORE_H5D)) {
    struct store_entry *from = store_find(store, dataset->record->base.id), *to = NULL;
    if (dataset->anonymous && dataset->met == 1)
      to = store_enter(store, darshan_hash(name, length, 0), name, length);
    if (to && !to->record[STORE_LAYERS] && store_pass_record(store, STORE_H5D, from, to)) {
      store_pass_record(store, STORE_LAYERS, from, to);
      dataset->anonymous = 0;
    }
    store_unlock(store);
  }
  runtime_leave();
}

void h5d_linked(struct h5_library *lib, int64_t id) {
  struct h5_known known = h5_known(lib, id);
  if (known.kind != H5_DATASET || !known.dataset->anonymous) return;
  struct path_buffer *name = path_buffer_take();
  size_t length = name ? name_of(lib, known.id, known.file, H5D_OPENED, name->bytes) : 0;
  if (length && length <= DARSHAN_NAME_MAX) name_anonymous(known.dataset, name->bytes, length);
  path_buffer_give(name);
}

void h5d_closed(struct h5_dataset *dataset, struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  if (record_lock(&dataset->lock)) {
    double *times = dataset->record->fcounters;
    struct clock_span at = ticks_span(t1, t2);
    record_note_start(&times[H5D_F_CLOSE_START_TIMESTAMP], at.start);
    times[H5D_F_CLOSE_END_TIMESTAMP] = at.end;
    times[H5D_F_META_TIME] += record_time(&dataset->last_end[0], at);
    record_unlock(&dataset->lock);
  }
  layer_pop(frame, &dataset->layer, t1, t2);
  h5d_after_close(dataset);
}

void h5d_flushed(struct h5_library *lib, const struct h5_known *known, int result,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct h5_dataset *dataset = result >= 0 ? h5d_of(lib, known) : NULL;
  if (dataset && record_lock(&dataset->lock)) {
    dataset->record->counters[H5D_FLUSHES]++;
    dataset->record->fcounters[H5D_F_META_TIME] +=
        record_time(&dataset->last_end[0], ticks_span(t1, t2));
    record_unlock(&dataset->lock);
  }
  layer_pop(frame, dataset ? &dataset->layer : NULL, t1, t2);
}

void h5d_extended(struct h5_library *lib, const struct h5_known *known, int result, int counter,
                  struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct h5_dataset *dataset = result >= 0 ? h5d_of(lib, known) : NULL;
  if (!dataset) {
    layer_pop(frame, NULL, t1, t2);
    return;
  }
  note_extent(lib, known->id, dataset, NULL);
  if (record_lock(&dataset->lock)) {
    dataset->record->counters[H5D_DATASPACE_NPOINTS] = dataset->points;
    record_unlock(&dataset->lock);
  }
  layer_pop(frame, &dataset->layer, t1, t2);
  h5_meta(h5_file_at(dataset->file), counter, H5_META_F_OTHER_TIME, NULL, t1, t2);
}
