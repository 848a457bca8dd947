/* PNETCDF_VAR: finds variables and records their properties. */
#include <string.h>

#include "../../names/path-buffers.h"
#include "modules/pnetcdf/records.h"
#include "pnetcdf.h"
#include "record-id.h"

enum { VARIABLE_NAME_ROOM = DARSHAN_PATH_ROOM, LIBRARY_NAME_ROOM = 257, MOST_DIMENSIONS = 1024 };

/* Writes "FILE:VARIABLE", the two names, to out, which has VARIABLE_NAME_ROOM bytes. Returns its
 * length; 0 if the library does not return a name, or the name is too long. */
static size_t name_of(const struct pn_library *lib, int ncid, int varid, const struct pn_file *file,
                      char *out) {
  char name[LIBRARY_NAME_ROOM] = "";
  if (!lib->ncmpi_inq_varname || lib->ncmpi_inq_varname(ncid, varid, name) != 0) return 0;
  name[sizeof(name) - 1] = '\0';
  size_t length = strlen(name);
  if (file->name_length + 1 + length >= VARIABLE_NAME_ROOM) return 0;
  memcpy(out, file->name, file->name_length);
  out[file->name_length] = ':';
  memcpy(out + file->name_length + 1, name, length + 1);
  return file->name_length + 1 + length;
}

/* Returns the number of the PNETCDF_VAR record of this name, which is made if necessary; that of
 * the overflow record if the name is unknown (length is 0) or too long, or beyond the limit of
 * records; 0 if there is no space. The caller holds the store's lock. */
static uint32_t record_of(const char *name, size_t length) {
  struct record_store *store = &darshan_store;
  if (!length || length > DARSHAN_NAME_MAX) return store_overflow_record(store, STORE_PNETCDF_VAR);
  return store_number_of_name(store, STORE_PNETCDF_VAR, darshan_hash(name, length, 0), name,
                              length);
}

/* Returns the bytes of an element of an external type (nc_type): byte, char, short, int, float,
 * double, and those of CDF-5: ubyte, ushort, uint, int64, uint64; 0 for any other type. */
static int size_of_type(int type) {
  static const unsigned char sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
  return type > 0 && type < (int)sizeof(sizes) ? sizes[type] : 0;
}

static_assert(MOST_DIMENSIONS * sizeof(int) <= DARSHAN_PATH_ROOM, "ids stand in a path's room");

/* Returns the number of elements of a variable with the dimensions `ids` (`dimensions` of them, at
 * least one). If its first dimension is unlimited, returns the elements of one record and sets
 * *record_dimension to its id; otherwise *record_dimension must be and stays -1. Returns -1 if the
 * library does not report a length. */
static int64_t points_of(const struct pn_library *lib, int ncid, const int *ids, int dimensions,
                         int *record_dimension) {
  int unlimited = -1;
  int64_t points = 1, length = 0;
  if (lib->ncmpi_inq_unlimdim) lib->ncmpi_inq_unlimdim(ncid, &unlimited);
  if (unlimited >= 0 && ids[0] == unlimited) *record_dimension = unlimited;
  for (int i = *record_dimension >= 0; i < dimensions; i++) {
    if (lib->ncmpi_inq_dimlen(ncid, ids[i], &length) != 0) return -1;
    points *= length;
  }
  return points;
}

static int64_t count_points(const struct pn_library *lib, int ncid, int varid, int dimensions,
                            int *record_dimension) {
  int64_t points = -1;
  *record_dimension = -1;
  if (dimensions == 0) return 1;
  if (dimensions < 0 || dimensions > MOST_DIMENSIONS || !lib->ncmpi_inq_vardimid ||
      !lib->ncmpi_inq_dimlen)
    return -1;
  struct path_buffer *room = path_buffer_take();
  if (!room) return -1;
  int *ids = (int *)(void *)room->bytes;
  if (lib->ncmpi_inq_vardimid(ncid, varid, ids) == 0)
    points = points_of(lib, ncid, ids, dimensions, record_dimension);
  path_buffer_give(room);
  return points;
}

/* Returns the type and dimensions of a variable, by querying the library; unknown values are 0 or
 * -1 (pn_member). Called after each open, because another file may have the same name by then. */
static struct pn_member shape_of(const struct pn_library *lib, int ncid, int varid) {
  struct pn_member shape = {.dimensions = -1};
  int type = 0;
  if (lib->ncmpi_inq_vartype) lib->ncmpi_inq_vartype(ncid, varid, &type);
  if (lib->ncmpi_inq_varndims) lib->ncmpi_inq_varndims(ncid, varid, &shape.dimensions);
  shape.type_size = size_of_type(type);
  shape.points = count_points(lib, ncid, varid, shape.dimensions, &shape.record_dimension);
  return shape;
}

static void note_shape(struct pn_variable *variable, const struct pn_member *shape) {
  if (!record_lock(&variable->lock)) return;
  int64_t *counters = variable->record->counters;
  counters[PNETCDF_VAR_DATATYPE_SIZE] = shape->type_size;
  counters[PNETCDF_VAR_NDIMS] = shape->dimensions;
  counters[PNETCDF_VAR_NPOINTS] = shape->points;
  counters[PNETCDF_VAR_IS_RECORD_VAR] = shape->record_dimension >= 0;
  record_unlock(&variable->lock);
}

/* Returns the variable of this name ("FILE:VARIABLE", length 0: unknown), and makes its records if
 * necessary; NULL if there is no space. */
static struct pn_variable *variable_of_name(const struct pn_file *file, const char *name,
                                            size_t length) {
  if (!runtime_enter()) return NULL;
  if (!store_lock_for(&darshan_store, STORE_PNETCDF_VAR)) {
    runtime_leave();
    return NULL;
  }
  uint32_t number = record_of(name, length);
  struct pn_variable *variable = number ? pn_variable_at(number) : NULL;
  if (variable && !variable->record) {
    variable->number = number;
    variable->record = store_record(&darshan_store, STORE_PNETCDF_VAR, number);
    variable->record->file_rec_id = file->record->base.id;
  }
  store_unlock(&darshan_store);
  if (variable)
    layer_attach(&variable->layer, variable->record->base.id, name, length,
                 DARSHAN_MOD_PNETCDF_VAR);
  runtime_leave();
  return variable;
}

__attribute__((noinline)) static struct pn_variable *
variable_of(const struct pn_library *lib, int ncid, int varid, const struct pn_file *file) {
  struct path_buffer *name = path_buffer_take();
  size_t length = name ? name_of(lib, ncid, varid, file, name->bytes) : 0;
  struct pn_variable *variable = variable_of_name(file, length ? name->bytes : "", length);
  path_buffer_give(name);
  return variable;
}

__attribute__((noinline)) static struct pn_target
meet_in(const struct pn_file *file, const struct pn_library *lib, int ncid, int varid) {
  struct pn_target target = {.variable = NULL};
  if (!file || !module_is_on(DARSHAN_MOD_PNETCDF_VAR)) return target;
  target.variable = variable_of(lib, ncid, varid, file);
  if (!target.variable) return target;
  target.shape = shape_of(lib, ncid, varid);
  target.shape.variable = target.variable->number;
  note_shape(target.variable, &target.shape);
  pn_remember_member(lib, ncid, varid, &target.shape);
  return target;
}

static struct pn_target meet(const struct pn_library *lib, int ncid, int varid) {
  return meet_in(pn_file_of(lib, ncid), lib, ncid, varid);
}

struct pn_target pn_target_of(const struct pn_library *lib, int ncid, int varid) {
  struct pn_target target = pn_known_target(lib, ncid, varid);
  return target.variable ? target : meet(lib, ncid, varid);
}

int64_t pn_elements(const struct pn_library *lib, int ncid, const struct pn_member *shape) {
  int64_t records = 1;
  if (shape->record_dimension >= 0 &&
      lib->ncmpi_inq_dimlen(ncid, shape->record_dimension, &records) != 0)
    records = 0;
  return shape->points > 0 ? shape->points * records : 0;
}

void pn_variable_opened(const struct pn_call *call, const struct pn_known *known, const int *varid,
                        int defined) {
  struct pn_variable *variable = NULL;
  if (call->result == 0 && varid)
    variable = (defined ? meet : pn_target_of)(call->lib, known->ncid, *varid).variable;
  if (variable && record_lock(&variable->lock)) {
    double *times = variable->record->fcounters;
    struct clock_span at = ticks_span(call->t1, call->t2);
    variable->record->counters[PNETCDF_VAR_OPENS]++;
    record_note_start(&times[PNETCDF_VAR_F_OPEN_START_TIMESTAMP], at.start);
    times[PNETCDF_VAR_F_OPEN_END_TIMESTAMP] = at.end;
    times[PNETCDF_VAR_F_META_TIME] += record_time(&variable->last_end[0], at);
    record_unlock(&variable->lock);
  }
  layer_pop(call->frame, variable ? &variable->layer : NULL, call->t1, call->t2);
}

/* Counts a fill call on a variable, if it succeeded, but only its time: the library writes the fill
 * values by itself, so no bytes are counted. Ends the LAYERS frame. */
void pn_filled(const struct pn_call *call, const struct pn_known *known, int varid) {
  struct pn_variable *variable = NULL;
  if (call->result == 0) variable = pn_target_of(call->lib, known->ncid, varid).variable;
  if (variable && record_lock(&variable->lock)) {
    variable->record->fcounters[PNETCDF_VAR_F_META_TIME] +=
        record_time(&variable->last_end[0], ticks_span(call->t1, call->t2));
    record_unlock(&variable->lock);
  }
  layer_pop(call->frame, variable ? &variable->layer : NULL, call->t1, call->t2);
}
