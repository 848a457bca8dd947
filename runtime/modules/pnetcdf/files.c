/* PNETCDF_FILE: files, and calls on a file as a whole. */
#include "../../names/paths.h"
#include "../posix/posix.h"
#include "modules/pnetcdf/records.h"
#include "pnetcdf.h"

enum { META, WAIT }; /* indexes of last_end */

uint32_t pn_file_number(const struct pn_file *file) {
  return file->number;
}

/* Returns the file of a name with its PNETCDF_FILE record, which is made if necessary; NULL if
 * there is no space. The caller holds the store's lock. */
static struct pn_file *record_of(const struct posix_name *name) {
  struct record_store *store = &darshan_store;
  struct store_entry *entry = NULL;
  uint32_t number =
      store_record_of(store, STORE_PNETCDF_FILE, name->text, name->length, name->id, &entry);
  if (!number) return NULL;
  struct pn_file *file = pn_file_at(number);
  if (!file->record) {
    file->name = entry->name;
    file->name_length = entry->name_length;
    file->number = number;
    file->record = store_record(store, STORE_PNETCDF_FILE, number);
  }
  return file;
}

/* Returns the file of this name, and makes its PNETCDF_FILE and LAYERS records if necessary; NULL
 * if there is no space. Called between runtime_enter and runtime_leave, without a lock. */
static struct pn_file *file_of_name(const struct posix_name *name) {
  if (!store_lock_for(&darshan_store, STORE_PNETCDF_FILE)) return NULL;
  struct pn_file *file = record_of(name);
  store_unlock(&darshan_store);
  if (file)
    layer_attach(&file->layer, file->record->base.id, file->name, file->name_length,
                 DARSHAN_MOD_PNETCDF_FILE);
  return file;
}

static struct pn_file *file_of_path(const char *path) {
  struct posix_name name;
  struct pn_file *file = NULL;
  pn_prepare();
  if (!pnetcdf_state.prepared) return NULL;
  if (!posix_name_of(&name, DARSHAN_MOD_PNETCDF_FILE, AT_FDCWD, darshan_without_driver(path)))
    return NULL;
  if (runtime_enter()) {
    file = file_of_name(&name);
    runtime_leave();
  }
  posix_name_done(&name);
  return file;
}

/* Returns the file of an ncid whose open was not seen, by the path that the library reports, and
 * enters the ncid in the table; NULL on failure. */
__attribute__((noinline)) static struct pn_file *meet(const struct pn_library *lib, int ncid) {
  int length = 0;
  if (!lib->ncmpi_inq_path || lib->ncmpi_inq_path(ncid, &length, NULL) != 0 || length <= 0 ||
      length >= DARSHAN_PATH_ROOM)
    return NULL;
  struct path_buffer *path = path_buffer_take();
  if (!path) return NULL;
  struct pn_file *file =
      lib->ncmpi_inq_path(ncid, NULL, path->bytes) == 0 ? file_of_path(path->bytes) : NULL;
  path_buffer_give(path);
  if (file) pn_remember(lib, ncid, pn_file_number(file));
  return file;
}

struct pn_file *pn_file_of(const struct pn_library *lib, int ncid) {
  struct pn_known known = pn_known(lib, ncid);
  return known.file ? known.file : meet(lib, ncid);
}

void pn_opened(const struct pn_call *call, int counter, const char *path, const int *ncid) {
  int done = call->result == 0 && path && ncid;
  struct pn_file *file = done ? file_of_path(path) : NULL;
  if (done) pn_forget(call->lib, *ncid); /* a closed file may have had this id */
  if (file) pn_remember(call->lib, *ncid, pn_file_number(file));
  if (file && record_lock(&file->lock)) {
    double *times = file->record->fcounters;
    struct clock_span at = ticks_span(call->t1, call->t2);
    file->record->counters[counter]++;
    record_note_start(&times[PNETCDF_FILE_F_OPEN_START_TIMESTAMP], at.start);
    times[PNETCDF_FILE_F_OPEN_END_TIMESTAMP] = at.end;
    times[PNETCDF_FILE_F_META_TIME] += record_time(&file->last_end[META], at);
    record_unlock(&file->lock);
  }
  layer_pop(call->frame, file ? &file->layer : NULL, call->t1, call->t2);
}

struct pn_moved pn_before_close(const struct pn_library *lib, const struct pn_known *known) {
  struct pn_moved moved = {-1, -1};
  int ncid = known->ncid;
  if (!known->file) return moved;
  if (lib->ncmpi_inq_get_size && lib->ncmpi_inq_get_size(ncid, &moved.read) != 0) moved.read = -1;
  if (lib->ncmpi_inq_put_size && lib->ncmpi_inq_put_size(ncid, &moved.written) != 0)
    moved.written = -1;
  return moved;
}

/* Adds bytes to a counter. If the bytes or the counter are unknown (-1), it becomes -1. */
static void add_moved(int64_t *counter, int64_t bytes) {
  *counter = bytes < 0 || *counter < 0 ? -1 : *counter + bytes;
}

static void close_variables(const struct pn_call *call, const struct pn_known *known) {
  struct pn_variable *variable;
  for (uint32_t i = 0; (variable = pn_next_variable(call->lib, known->ncid, &i));) {
    if (!record_lock(&variable->lock)) return;
    struct clock_span at = ticks_span(call->t1, call->t2);
    double *times = variable->record->fcounters;
    record_note_start(&times[PNETCDF_VAR_F_CLOSE_START_TIMESTAMP], at.start);
    times[PNETCDF_VAR_F_CLOSE_END_TIMESTAMP] = at.end;
    record_unlock(&variable->lock);
  }
}

void pn_closed(const struct pn_call *call, const struct pn_known *known,
               const struct pn_moved *moved) {
  struct pn_file *file = call->result == 0 ? known->file : NULL;
  if (file && record_lock(&file->lock)) {
    double *times = file->record->fcounters;
    struct clock_span at = ticks_span(call->t1, call->t2);
    add_moved(&file->record->counters[PNETCDF_FILE_BYTES_READ], moved->read);
    add_moved(&file->record->counters[PNETCDF_FILE_BYTES_WRITTEN], moved->written);
    record_note_start(&times[PNETCDF_FILE_F_CLOSE_START_TIMESTAMP], at.start);
    times[PNETCDF_FILE_F_CLOSE_END_TIMESTAMP] = at.end;
    times[PNETCDF_FILE_F_META_TIME] += record_time(&file->last_end[META], at);
    record_unlock(&file->lock);
    close_variables(call, known);
  }
  if (call->result == 0) pn_forget(call->lib, known->ncid);
  layer_pop(call->frame, file ? &file->layer : NULL, call->t1, call->t2);
}

void pn_meta(const struct pn_call *call, const struct pn_known *known, int counter) {
  struct pn_file *file = call->result == 0 ? pn_file_of(call->lib, known->ncid) : NULL;
  if (file && record_lock(&file->lock)) {
    if (counter >= 0) file->record->counters[counter]++;
    file->record->fcounters[PNETCDF_FILE_F_META_TIME] +=
        record_time(&file->last_end[META], ticks_span(call->t1, call->t2));
    record_unlock(&file->lock);
  }
  layer_pop(call->frame, file ? &file->layer : NULL, call->t1, call->t2);
}

void pn_waited(const struct pn_call *call, const struct pn_known *known, int counter) {
  struct pn_file *file = call->result == 0 ? pn_file_of(call->lib, known->ncid) : known->file;
  if (file && record_lock(&file->lock)) {
    double *times = file->record->fcounters;
    struct clock_span at = ticks_span(call->t1, call->t2);
    if (call->result == 0) {
      file->record->counters[counter]++;
      record_note_start(&times[PNETCDF_FILE_F_WAIT_START_TIMESTAMP], at.start);
      times[PNETCDF_FILE_F_WAIT_END_TIMESTAMP] = at.end;
      times[PNETCDF_FILE_F_WAIT_TIME] += record_time(&file->last_end[WAIT], at);
    } else
      file->record->counters[PNETCDF_FILE_WAIT_FAILURES]++;
    record_unlock(&file->lock);
  }
  layer_pop(call->frame, file ? &file->layer : NULL, call->t1, call->t2);
}
