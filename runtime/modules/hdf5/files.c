/* H5F: opens, closes and flushes of HDF5 files. */
#include "hdf5.h"

#include <string.h>

#include "../../names/paths.h"
#include "../posix/posix.h"
#include "modules/hdf5/records.h"

uint32_t h5f_number(const struct h5_file *file) {
  return file->number;
}

/* Returns the number of the H5F record of this name, which is made if necessary; beyond the limit
 * of records, that of a group or overflow record; 0 if there is no space. The caller holds the
 * store's lock. */
static uint32_t record_of(const struct posix_name *name) {
  struct record_store *store = &darshan_store;
  struct store_entry *entry = NULL;
  uint32_t number = store_record_of(store, STORE_H5F, name->text, name->length, name->id, &entry);
  if (!number) return 0;
  struct h5_file *file = h5_file_at(number);
  if (!file->record) {
    file->name = entry->name;
    file->name_length = entry->name_length;
    file->number = number;
    file->record = store_record(store, STORE_H5F, number);
  }
  return number;
}

/* Returns the file of this name, and makes its H5F and LAYERS records if necessary; NULL if there
 * is no space. Called between runtime_enter and runtime_leave, without a lock. */
static struct h5_file *file_of_name(const struct posix_name *name) {
  if (!store_lock_for(&darshan_store, STORE_H5F)) return NULL;
  uint32_t number = record_of(name);
  store_unlock(&darshan_store);
  struct h5_file *file = number ? h5_file_at(number) : NULL;
  if (file)
    layer_attach(&file->layer, file->record->base.id, file->name, file->name_length,
                 DARSHAN_MOD_H5F);
  return file;
}

/* Returns the file of a path that the program passed to HDF5, and makes its records if necessary;
 * NULL if it is not recorded. */
static struct h5_file *file_of_path(const char *path) {
  struct posix_name name;
  struct h5_file *file = NULL;
  if (!h5_prepare()) return NULL;
  if (!posix_name_of(&name, DARSHAN_MOD_H5F, AT_FDCWD, darshan_without_driver(path))) return NULL;
  if (runtime_enter()) {
    file = file_of_name(&name);
    runtime_leave();
  }
  posix_name_done(&name);
  return file;
}

/* Returns the file of an id whose open was not seen, by the name that the library reports; NULL on
 * failure. */
__attribute__((noinline)) static struct h5_file *meet(struct h5_library *lib, int64_t id) {
  struct path_buffer *path = path_buffer_take();
  if (!path) return NULL;
  ssize_t length = lib->H5Fget_name(id, path->bytes, DARSHAN_PATH_ROOM);
  struct h5_file *file =
      length > 0 && length < DARSHAN_PATH_ROOM ? file_of_path(path->bytes) : NULL;
  path_buffer_give(path);
  return file;
}

struct h5_file *h5f_of_unknown(struct h5_library *lib, int64_t id) {
  return lib->H5Fget_name ? meet(lib, id) : NULL;
}

/* Returns 1 if the file access property list selects MPI-IO, otherwise 0, also if it is unknown.
 * fapl 0: the default. Meanwhile disables the error output of the library, which reports a property
 * list with another driver. */
static int uses_mpiio(struct h5_library *lib, int64_t fapl) {
  void *print = NULL, *data = NULL;
  if (fapl == 0 || !lib->H5Pget_fapl_mpio || !lib->H5Eget_auto2 || !lib->H5Eset_auto2) return 0;
  lib->H5Eget_auto2(0, &print, &data);
  lib->H5Eset_auto2(0, NULL, NULL);
  int result = lib->H5Pget_fapl_mpio(fapl, NULL, NULL) >= 0;
  lib->H5Eset_auto2(0, print, data);
  return result;
}

/* Counts an open in the file's record. mpiio: 1 if it uses MPI-IO, otherwise 0. */
static void count_open(struct h5_file *file, int mpiio, uint64_t t1, uint64_t t2) {
  if (!record_lock(&file->lock)) return;
  double *times = file->record->fcounters;
  struct clock_span at = ticks_span(t1, t2);
  file->record->counters[H5F_OPENS]++;
  file->record->counters[H5F_USE_MPIIO] = mpiio;
  record_note_start(&times[H5F_F_OPEN_START_TIMESTAMP], at.start);
  times[H5F_F_OPEN_END_TIMESTAMP] = at.end;
  times[H5F_F_META_TIME] += record_time(&file->last_end, at);
  record_unlock(&file->lock);
}

void h5f_opened(struct h5_library *lib, int64_t id, const char *path, int64_t fapl,
                struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct h5_file *file = id >= 0 && path ? file_of_path(path) : NULL;
  if (id >= 0) h5_forget(lib, id); /* a closed object may have had this id */
  if (file) {
    count_open(file, uses_mpiio(lib, fapl), t1, t2);
    h5_remember(lib, id, H5_FILE, h5f_number(file));
  }
  layer_pop(frame, file ? &file->layer : NULL, t1, t2);
}

void h5f_reopened(struct h5_library *lib, int64_t id, int64_t from, struct layer_frame *frame,
                  uint64_t t1, uint64_t t2) {
  struct h5_file *file = id >= 0 ? h5f_of(lib, from) : NULL;
  if (id >= 0) h5_forget(lib, id);
  if (file) {
    count_open(file, (int)file->record->counters[H5F_USE_MPIIO], t1, t2);
    h5_remember(lib, id, H5_FILE, h5f_number(file));
  }
  layer_pop(frame, file ? &file->layer : NULL, t1, t2);
}

void h5f_flushed(struct h5_library *lib, int result, int64_t id, struct layer_frame *frame,
                 uint64_t t1, uint64_t t2) {
  struct h5_file *file = result >= 0 ? h5f_of(lib, id) : NULL;
  if (file && record_lock(&file->lock)) {
    file->record->counters[H5F_FLUSHES]++;
    file->record->fcounters[H5F_F_META_TIME] += record_time(&file->last_end, ticks_span(t1, t2));
    record_unlock(&file->lock);
  }
  layer_pop(frame, file ? &file->layer : NULL, t1, t2);
}

void h5f_closed(struct h5_file *file, struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  if (record_lock(&file->lock)) {
    double *times = file->record->fcounters;
    struct clock_span at = ticks_span(t1, t2);
    record_note_start(&times[H5F_F_CLOSE_START_TIMESTAMP], at.start);
    times[H5F_F_CLOSE_END_TIMESTAMP] = at.end;
    times[H5F_F_META_TIME] += record_time(&file->last_end, at);
    record_unlock(&file->lock);
  }
  layer_pop(frame, &file->layer, t1, t2);
}
