/* Counts all calls except those of files and raw data: calls on attributes, groups, links and
 * objects, and calls that close an id. */
#include "hdf5.h"
#include "modules/hdf5/records.h"

enum { TYPE_GROUP = 2, TYPE_DATASET = 5 }; /* results of H5Iget_type, the same in all versions */

/* Returns the file's H5_META record, which is made if necessary; NULL if there is no space. The
 * caller holds the file's lock and takes no other record's lock. */
static struct darshan_h5_meta_record *meta_record(struct h5_file *file) {
  struct record_store *store = &darshan_store;
  if (LIKELY(file->meta != NULL)) return file->meta;
  if (!store_lock(store)) return NULL;
  struct store_entry *entry =
      store_enter(store, file->record->base.id, file->name, file->name_length);
  uint32_t number = store_record_number(store, STORE_H5_META, entry);
  if (number)
    __atomic_store_n(&file->meta, store_record(store, STORE_H5_META, number), __ATOMIC_RELAXED);
  store_unlock(store);
  return file->meta;
}

static void count_meta(struct h5_file *file, int counter, int fcounter, uint64_t t1, uint64_t t2) {
  struct darshan_h5_meta_record *record = meta_record(file);
  if (!record) return;
  record->counters[counter]++;
  if (fcounter >= 0)
    record->fcounters[fcounter] += record_time(&file->last_meta_end, ticks_span(t1, t2));
}

void h5_meta(struct h5_file *file, int counter, int fcounter, struct layer_frame *frame,
             uint64_t t1, uint64_t t2) {
  /* Updates the H5_META and LAYERS records within one entry into the runtime, because HDF5 itself
   * needs only half a microsecond for a call on an attribute. */
  struct layer_part *part = file && frame ? file->layer.part : NULL;
  if (file && UNLIKELY(!__atomic_load_n(&file->meta, __ATOMIC_RELAXED)))
    record_make_room(STORE_H5_META);
  if (file && runtime_enter()) {
    if (LIKELY(spin_lock(SPIN_RECORD, &file->lock))) {
      count_meta(file, counter, fcounter, t1, t2);
      spin_unlock(&file->lock);
    }
    if (part) layer_pop_inside(frame, part, t1, t2);
    runtime_leave();
    if (part) {
      layer_popped_inside(frame, part, t1, t2);
      return;
    }
  }
  layer_pop(frame, file ? &file->layer : NULL, t1, t2);
}

void h5_closed(struct h5_library *lib, int result, const struct h5_known *known,
               struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct h5_file *file = result >= 0 ? known->file : NULL;
  if (result >= 0) h5_forget_known(lib, known);
  if (file && known->kind == H5_DATASET)
    h5d_closed(known->dataset, frame, t1, t2);
  else if (file && known->kind == H5_FILE)
    h5f_closed(file, frame, t1, t2);
  else
    h5_meta(file, H5_META_OBJECT_OTHER, H5_META_F_OBJECT_TIME, frame, t1, t2);
}

/* Counts a call of H5Idec_ref, which closes the id only if it had the last reference. references:
 * its result, the remaining references; -1 or less: the call failed. Unless this is 0 and the id is
 * known, the function only ends the frame. h5py closes ids only this way. */
void h5_released(struct h5_library *lib, int references, const struct h5_known *known,
                 struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  if (references != 0 || !known->file) {
    layer_pop(frame, known->file ? &known->file->layer : NULL, t1, t2);
  } else if (known->kind == H5_ATTR || known->kind == H5_GROUP) {
    int attr = known->kind == H5_ATTR;
    h5_forget_known(lib, known);
    h5_meta(known->file, attr ? H5_META_ATTR_OTHER : H5_META_GROUP_OTHER,
            attr ? H5_META_F_ATTR_TIME : H5_META_F_GROUP_TIME, frame, t1, t2);
  } else
    h5_closed(lib, 0, known, frame, t1, t2);
}

/* Returns the kind of an object that was opened by a reference. A dataset that was opened so gets a
 * record at its first transfer, because netCDF-4 and H5DS open most of these datasets only to
 * inspect them. */
static enum h5_kind kind_of(int type) {
  if (type == TYPE_DATASET) return H5_REFERRED;
  return type == TYPE_GROUP ? H5_GROUP : H5_OBJECT;
}

void h5o_opened(struct h5_library *lib, int64_t id, int64_t location, int how,
                struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  if (id < 0) {
    layer_pop(frame, NULL, t1, t2);
    return;
  }
  int type = lib->H5Iget_type ? lib->H5Iget_type(id) : -1;
  if (type == TYPE_DATASET && !(how & H5D_REFERRED)) {
    h5d_opened(lib, id, how, frame, t1, t2);
    return;
  }
  if (location == id) h5_forget(lib, id);
  struct h5_file *file = h5f_of(lib, location);
  h5_forget(lib, id);
  if (file) h5_remember(lib, id, kind_of(type), h5f_number(file));
  h5_meta(file, H5_META_OBJECT_OPENS, H5_META_F_OBJECT_TIME, frame, t1, t2);
}

void h5o_flushed(struct h5_library *lib, int result, int64_t id, struct layer_frame *frame,
                 uint64_t t1, uint64_t t2) {
  struct h5_known known = h5_known(lib, id);
  if (known.kind == H5_DATASET)
    h5d_flushed(lib, &known, result, frame, t1, t2);
  else if (known.kind == H5_FILE)
    h5f_flushed(lib, result, id, frame, t1, t2);
  else
    h5_meta(result >= 0 ? h5f_of(lib, id) : NULL, H5_META_OBJECT_OTHER, H5_META_F_OBJECT_TIME,
            frame, t1, t2);
}
