/* PNETCDF_VAR: counts puts and gets, both immediate ones and those posted for a later wait. */
#include <errno.h>

#include "../../counting/size-bins.h"
#include "modules/layers/records.h"
#include "modules/pnetcdf/records.h"
#include "pnetcdf.h"

static_assert(PNETCDF_VAR_INDEP_WRITES == PNETCDF_VAR_INDEP_READS + 1, "pairs");
static_assert(PNETCDF_VAR_COLL_READS == PNETCDF_VAR_INDEP_READS + 2, "pairs");
static_assert(PNETCDF_VAR_NB_READS == PNETCDF_VAR_INDEP_READS + 4, "pairs");
static_assert(PNETCDF_VAR_BYTES_WRITTEN == PNETCDF_VAR_BYTES_READ + 1, "pairs");
static_assert(PNETCDF_VAR_PUT_VARD == PNETCDF_VAR_PUT_VAR + (int)PN_FORM_vard, "order of forms");
static_assert(PNETCDF_VAR_GET_VARD == PNETCDF_VAR_GET_VAR + (int)PN_FORM_vard, "order of forms");
static_assert(PNETCDF_VAR_IPUT_VARN == PNETCDF_VAR_IPUT_VAR + (int)PN_FORM_varn, "order of forms");
static_assert(PNETCDF_VAR_MAX_WRITE_TIME_SIZE == PNETCDF_VAR_MAX_READ_TIME_SIZE + 1, "pairs");
static_assert(PNETCDF_VAR_SIZE_WRITE_AGG_0_100 == PNETCDF_VAR_SIZE_READ_AGG_0_100 + 10, "pairs");
static_assert(PNETCDF_VAR_ACCESS2_ACCESS == PNETCDF_VAR_ACCESS1_ACCESS + ACCESS_FIELDS, "groups");
static_assert(PNETCDF_VAR_F_WRITE_START_TIMESTAMP == PNETCDF_VAR_F_READ_START_TIMESTAMP + 1,
              "pairs");
static_assert(PNETCDF_VAR_F_WRITE_END_TIMESTAMP == PNETCDF_VAR_F_READ_END_TIMESTAMP + 1, "pairs");
static_assert(PNETCDF_VAR_F_WRITE_TIME == PNETCDF_VAR_F_READ_TIME + 1, "pairs");
static_assert(PNETCDF_VAR_F_MAX_WRITE_TIME == PNETCDF_VAR_F_MAX_READ_TIME + 1, "pairs");

enum { READ, WRITE };
enum { INDEPENDENT, COLLECTIVE, POSTED };

/* Properties that all functions of an API share. */
static const struct {
  unsigned char writes, posted, several; /* several: several variables in one call */
  short counter;                         /* index of the counter for the API's first form */
} apis[] = {
    [PN_API_put] = {WRITE, 0, 0, PNETCDF_VAR_PUT_VAR},
    [PN_API_get] = {READ, 0, 0, PNETCDF_VAR_GET_VAR},
    [PN_API_iput] = {WRITE, 1, 0, PNETCDF_VAR_IPUT_VAR},
    [PN_API_iget] = {READ, 1, 0, PNETCDF_VAR_IGET_VAR},
    [PN_API_bput] = {WRITE, 1, 0, PNETCDF_VAR_BPUT_VAR},
    [PN_API_mput] = {WRITE, 0, 1, PNETCDF_VAR_PUT_VAR},
    [PN_API_mget] = {READ, 0, 1, PNETCDF_VAR_GET_VAR},
};

/* A call: the properties of its function, and its arguments. writes: 1 for a put. mode:
 * INDEPENDENT, COLLECTIVE or POSTED. counter: index of the counter of the function's form. */
struct transfer {
  int writes, mode, counter, ncid;
  enum pn_form form;
  const uintptr_t *arguments;
};

static void count(struct pn_variable *variable, const struct transfer *transfer,
                  const int64_t *access, uint64_t t1, uint64_t t2) {
  int64_t *counters = variable->record->counters, bytes = access[0];
  double *times = variable->record->fcounters;
  struct clock_span at = ticks_span(t1, t2);
  int op = transfer->writes;
  counters[PNETCDF_VAR_INDEP_READS + 2 * transfer->mode + op]++;
  counters[transfer->counter]++;
  counters[PNETCDF_VAR_BYTES_READ + op] += bytes;
  counters[PNETCDF_VAR_RW_SWITCHES] += variable->last_operation == 2 - (uint32_t)op;
  variable->last_operation = 1 + (uint32_t)op;
  counters[PNETCDF_VAR_SIZE_READ_AGG_0_100 + 10 * op + size_bin(bytes)]++;
  common_accesses_count(&variable->accesses, &darshan_scratch,
                        &counters[PNETCDF_VAR_ACCESS1_ACCESS], &counters[PNETCDF_VAR_ACCESS1_COUNT],
                        access);
  record_note_start(&times[PNETCDF_VAR_F_READ_START_TIMESTAMP + op], at.start);
  times[PNETCDF_VAR_F_READ_END_TIMESTAMP + op] = at.end;
  times[PNETCDF_VAR_F_READ_TIME + op] += record_time(&variable->last_end[1 + op], at);
  if (at.end - at.start >= times[PNETCDF_VAR_F_MAX_READ_TIME + op]) {
    times[PNETCDF_VAR_F_MAX_READ_TIME + op] = at.end - at.start;
    counters[PNETCDF_VAR_MAX_READ_TIME_SIZE + op] = bytes;
  }
}

/* Counts one access to the variable with the id varid, from t1 to t2 (ticks), with its size,
 * lengths and strides. Returns the variable, or NULL if it is not recorded. */
static struct pn_variable *book(struct pn_library *lib, const struct transfer *transfer, int varid,
                                const struct pn_place *place, uint64_t t1, uint64_t t2) {
  int64_t access[ACCESS_FIELDS];
  struct pn_target target = pn_target_of(lib, transfer->ncid, varid);
  struct pn_variable *variable = target.variable;
  if (!variable) return NULL;
  pn_describe(lib, transfer->ncid, &target.shape, place, access);
  if (!record_lock(&variable->lock)) return variable;
  count(variable, transfer, access, t1, t2);
  record_unlock(&variable->lock);
  struct darshan_layers_record *record = layer_lock(&variable->layer);
  if (!record) return variable;
  record->counters[transfer->writes ? LAYERS_BYTES_ASKED_WRITTEN : LAYERS_BYTES_ASKED_READ] +=
      access[0];
  layer_unlock(&variable->layer);
  return variable;
}

/* Counts a call on one variable. Returns the variable, or NULL if it is not recorded. */
static struct pn_variable *book_one(struct pn_library *lib, const struct transfer *transfer,
                                    uint64_t t1, uint64_t t2) {
  const uintptr_t *a = transfer->arguments;
  struct pn_place place = {.form = transfer->form};
  if (place.form >= PN_FORM_vara && place.form <= PN_FORM_varm) place.count = (const int64_t *)a[3];
  if (place.form == PN_FORM_vars || place.form == PN_FORM_varm)
    place.stride = (const int64_t *)a[4];
  if (place.form == PN_FORM_varn) {
    place.boxes = (int)a[2];
    place.counts = (const int64_t *const *)a[4];
  }
  if (place.form == PN_FORM_vard) place.filetype = a[2];
  return book(lib, transfer, (int)a[1], &place, t1, t2);
}

static const int64_t *element(uintptr_t array, int i) {
  return array ? ((const int64_t *const *)array)[i] : NULL;
}

/* Counts one call on several variables as one access to each, and divides its time evenly. Returns
 * the first recorded variable, to which the caller attributes the calls of lower layers, or NULL.
 */
static struct pn_variable *book_several(struct pn_library *lib, const struct transfer *transfer,
                                        uint64_t t1, uint64_t t2) {
  const uintptr_t *a = transfer->arguments;
  int n = (int)a[1];
  const int *varids = (const int *)a[2];
  struct pn_variable *first = NULL;
  uint64_t share = n > 0 ? (t2 - t1) / (uint64_t)n : 0;
  for (int i = 0; i < n && varids; i++) {
    struct pn_place place = {.form = transfer->form};
    if (place.form >= PN_FORM_vara) place.count = element(a[4], i);
    if (place.form >= PN_FORM_vars) place.stride = element(a[5], i);
    struct pn_variable *variable = book(lib, transfer, varids[i], &place, t1 + (uint64_t)i * share,
                                        t1 + (uint64_t)(i + 1) * share);
    if (!first) first = variable;
  }
  return first;
}

typedef int six(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
typedef int ten(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
                uintptr_t, uintptr_t, uintptr_t);

/* Calls the real function with the arguments a (ten if traits has PN_MORE_THAN_SIX, else six), and
 * returns its result. A function with fewer parameters ignores the surplus arguments. */
static int call_real(void *real, unsigned traits, const uintptr_t *a) {
  if (traits & PN_MORE_THAN_SIX)
    return ((ten *)real)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
  return ((six *)real)(a[0], a[1], a[2], a[3], a[4], a[5]);
}

int pn_transfer(int function, unsigned traits, const char *name, const uintptr_t *arguments,
                const void *caller) {
  struct pn_library *lib = pn_library_of(caller);
  void *real = pn_function(lib, function, name);
  if (UNLIKELY(!pn_begin(lib))) return call_real(real, traits, arguments);
  unsigned api = traits & PN_API_MASK;
  enum pn_form form = traits / PN_FORM % PN_FORM;
  struct transfer transfer = {.writes = apis[api].writes,
                              .mode = apis[api].posted        ? POSTED
                                      : traits & PN_MODE__all ? COLLECTIVE
                                                              : INDEPENDENT,
                              .counter = apis[api].counter + (int)form,
                              .ncid = (int)arguments[0],
                              .form = form,
                              .arguments = arguments};
  struct pn_variable *variable = NULL;
  if (!apis[api].several)
    variable = pn_known_target(lib, transfer.ncid, (int)arguments[1]).variable;
  struct layer_frame *frame =
      layer_push(transfer.writes ? LAYER_WRITE : LAYER_READ, variable ? &variable->layer : NULL);
  uint64_t t1 = ticks_now();
  int result = call_real(real, traits, arguments);
  uint64_t t2 = ticks_after(t1);
  int saved = errno;
  if (result == 0 || result == PN_OUT_OF_RANGE)
    variable =
        apis[api].several ? book_several(lib, &transfer, t1, t2) : book_one(lib, &transfer, t1, t2);
  layer_pop(frame, variable ? &variable->layer : NULL, t1, t2);
  pn_end();
  errno = saved;
  return result;
}
