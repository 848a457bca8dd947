/* H5D: counts reads and writes of raw data. */
#include "hdf5.h"

#include <string.h>

#include "../../counting/size-bins.h"
#include "../../names/path-buffers.h"
#include "modules/hdf5/records.h"
#include "modules/layers/records.h"

enum { FRAME = 5 };
/* Data spaces that are constants, not ids. They are the same in all versions. */
enum { SPACE_ALL = 0, SPACE_BLOCK = 1, SPACE_PLIST = 2 };
enum { SELECT_POINTS = 1, SELECT_HYPERSLABS = 2, COLLECTIVE = 1 };

static_assert(H5D_WRITES == H5D_READS + 1, "pairs");
static_assert(H5D_BYTES_WRITTEN == H5D_BYTES_READ + 1, "pairs");
static_assert(H5D_MAX_WRITE_TIME_SIZE == H5D_MAX_READ_TIME_SIZE + 1, "pairs");
static_assert(H5D_SIZE_WRITE_AGG_0_100 == H5D_SIZE_READ_AGG_0_100 + 10, "pairs");
static_assert(H5D_ACCESS2_ACCESS == H5D_ACCESS1_ACCESS + ACCESS_FIELDS, "groups");
static_assert(H5D_F_WRITE_START_TIMESTAMP == H5D_F_READ_START_TIMESTAMP + 1, "pairs");
static_assert(H5D_F_WRITE_END_TIMESTAMP == H5D_F_READ_END_TIMESTAMP + 1, "pairs");
static_assert(H5D_F_WRITE_TIME == H5D_F_READ_TIME + 1, "pairs");
static_assert(H5D_F_MAX_WRITE_TIME == H5D_F_MAX_READ_TIME + 1, "pairs");

/* A read or write, as it is counted. */
struct transfer {
  int64_t access[ACCESS_FIELDS]; /* bytes, lengths and strides of the selection */
  int selects;                   /* index of the counter for the kind of selection; -1: none */
  int64_t pieces;                /* of an irregular hyperslab; 0: unknown, or another selection */
  int collective;                /* 1: by collective MPI-IO */
};

/* Stores in transfer the kind of a hyperslab and, if it is regular, its lengths (count times block)
 * and strides in the first five dimensions, in reverse order: the last field, that of the counter
 * D5, has dimension 0. Returns the number of selected elements; -1 for an irregular hyperslab, for
 * more than 32 dimensions, if out of memory, or if HDF5 cannot report it. */
static int64_t note_hyperslab(struct h5_library *lib, int64_t space, int dimensions,
                              struct transfer *transfer) {
  enum { USUAL = 8 }; /* number of dimensions that fit on the stack */
  uint64_t usual[4 * USUAL], *start = usual;
  struct path_buffer *room = NULL;
  int regular = lib->H5Sis_regular_hyperslab ? lib->H5Sis_regular_hyperslab(space) : -1;
  transfer->selects = H5D_IRREGULAR_HYPERSLAB_SELECTS;
  /* HDF5 goes through the list of the pieces, which takes nanoseconds each; making the list took
   * microseconds each. */
  if (regular == 0 && lib->H5Sget_select_hyper_nblocks)
    transfer->pieces = lib->H5Sget_select_hyper_nblocks(space);
  if (regular <= 0) return -1;
  transfer->selects = H5D_REGULAR_HYPERSLAB_SELECTS;
  if (dimensions > 32 || dimensions < 0 || !lib->H5Sget_regular_hyperslab) return -1;
  if (UNLIKELY(dimensions > USUAL)) {
    room = path_buffer_take();
    if (!room) return -1;
    start = (uint64_t *)(void *)room->bytes;
  }
  uint64_t *stride = start + dimensions, *count = stride + dimensions, *block = count + dimensions;
  int64_t points = lib->H5Sget_regular_hyperslab(space, start, stride, count, block) < 0 ? -1 : 1;
  for (int i = 0; points >= 0 && i < dimensions; i++) {
    points *= (int64_t)(count[i] * block[i]);
    if (i >= FRAME) continue;
    transfer->access[FRAME - i] = (int64_t)(count[i] * block[i]);
    transfer->access[2 * FRAME - i] = (int64_t)stride[i];
  }
  path_buffer_give(room);
  return points;
}

/* Returns the number of selected elements of the space, or a negative value if HDF5 reports an
 * error. Stores in transfer how they are selected. Each query costs some 50 ns in a thread-safe
 * library, so known values are not queried. */
static int64_t selected_points(struct h5_library *lib, int64_t space, int dimensions,
                               struct transfer *transfer) {
  int64_t points = -1;
  int kind = lib->H5Sget_select_type ? lib->H5Sget_select_type(space) : -1;
  if (kind == SELECT_POINTS) transfer->selects = H5D_POINT_SELECTS;
  if (kind == SELECT_HYPERSLABS) points = note_hyperslab(lib, space, dimensions, transfer);
  return points >= 0 ? points : lib->H5Sget_select_npoints(space);
}

/* Fills in *transfer: the bytes, how the elements are selected, and whether it is collective. */
static void describe(struct h5_library *lib, const struct h5_dataset *dataset,
                     const struct h5d_selection *selection, struct transfer *transfer) {
  int64_t points = dataset->points;
  int mode = 0;
  memset(transfer, 0, sizeof(*transfer));
  transfer->selects = -1;
  if (selection->file_space > SPACE_PLIST)
    points = selected_points(lib, selection->file_space, dataset->dimensions, transfer);
  else if (selection->file_space != SPACE_ALL && selection->memory_space > SPACE_PLIST)
    points = lib->H5Sget_select_npoints(
        selection->memory_space); /* file_space does not tell the number */
  transfer->access[0] = points * dataset->type_size;
  if (selection->dxpl != 0 && lib->H5Pget_dxpl_mpio &&
      lib->H5Pget_dxpl_mpio(selection->dxpl, &mode) >= 0)
    transfer->collective = mode == COLLECTIVE;
}

static void count(struct h5_dataset *dataset, int op, const struct transfer *transfer, uint64_t t1,
                  uint64_t t2) {
  int64_t *counters = dataset->record->counters, bytes = transfer->access[0];
  double *times = dataset->record->fcounters;
  struct clock_span at = ticks_span(t1, t2);
  counters[H5D_READS + op - 1]++;
  counters[H5D_BYTES_READ + op - 1] += bytes;
  counters[H5D_RW_SWITCHES] += (int)dataset->last_operation == 3 - op;
  dataset->last_operation = (uint32_t)op;
  if (transfer->selects >= 0) counters[transfer->selects]++;
  counters[H5D_SIZE_READ_AGG_0_100 + 10 * (op - 1) + size_bin(bytes)]++;
  if (transfer->collective) counters[H5D_USE_MPIIO_COLLECTIVE] = 1;
  common_accesses_count(&dataset->accesses, &darshan_scratch, &counters[H5D_ACCESS1_ACCESS],
                        &counters[H5D_ACCESS1_COUNT], transfer->access);
  record_note_start(&times[H5D_F_READ_START_TIMESTAMP + op - 1], at.start);
  times[H5D_F_READ_END_TIMESTAMP + op - 1] = at.end;
  times[H5D_F_READ_TIME + op - 1] += record_time(&dataset->last_end[op], at);
  if (at.end - at.start >= times[H5D_F_MAX_READ_TIME + op - 1]) {
    times[H5D_F_MAX_READ_TIME + op - 1] = at.end - at.start;
    counters[H5D_MAX_READ_TIME_SIZE + op - 1] = bytes;
  }
}

/* Counts a transfer from t1 to t2 (ticks) in the dataset's record, and its bytes as requested in
 * the LAYERS record. */
static void book(struct h5_dataset *dataset, enum h5d_operation operation,
                 const struct transfer *transfer, uint64_t t1, uint64_t t2) {
  if (!record_lock(&dataset->lock)) return;
  count(dataset, operation, transfer, t1, t2);
  record_unlock(&dataset->lock);
  struct darshan_layers_record *record = layer_lock(&dataset->layer);
  if (!record) return;
  record->counters[operation == H5D_READ ? LAYERS_BYTES_ASKED_READ : LAYERS_BYTES_ASKED_WRITTEN] +=
      transfer->access[0];
  if (transfer->pieces > 0) record->counters[LAYERS_SELECTED_PIECES] += transfer->pieces;
  layer_unlock(&dataset->layer);
}

void h5d_transferred(struct h5_library *lib, const struct h5_known *known, int result,
                     enum h5d_operation operation, const struct h5d_selection *selection,
                     struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct transfer transfer;
  struct h5_dataset *dataset = result >= 0 ? h5d_of(lib, known) : NULL;
  layer_pop(frame, dataset ? &dataset->layer : NULL, t1, t2);
  if (!dataset) return;
  describe(lib, dataset, selection, &transfer);
  book(dataset, operation, &transfer, t1, t2);
}

/* Returns the dataset of an id, or NULL if it is not recorded. Not inlined, so that its stack is
 * not in use while the transfer is described. */
__attribute__((noinline)) static struct h5_dataset *found(struct h5_library *lib, int64_t id) {
  struct h5_known known = h5_known(lib, id);
  return h5d_of(lib, &known);
}

__attribute__((noinline)) static void describe_one(struct h5_library *lib,
                                                   struct h5_dataset *dataset,
                                                   const struct h5d_selections *several, size_t i,
                                                   struct transfer *transfer) {
  struct h5d_selection one = {several->memory_spaces[i], several->file_spaces[i], several->dxpl};
  describe(lib, dataset, &one, transfer);
}

/* Returns the weight of a transfer among others: its bytes plus 1, so that a transfer of zero bytes
 * counts as well. */
static uint64_t weight_of(const struct transfer *transfer) {
  return transfer->access[0] > 0 ? (uint64_t)transfer->access[0] + 1 : 1;
}

/* Counts one successful call on several datasets, and ends its LAYERS frame: distributes its time,
 * and the calls of lower layers, in proportion to the bytes that the call requests of each dataset.
 * The datasets are queried twice, because storing the results for any number of datasets would need
 * memory. */
static void share_out(struct h5_library *lib, enum h5d_operation operation,
                      const struct h5d_selections *several, struct layer_frame *frame, uint64_t t1,
                      uint64_t t2) {
  struct transfer transfer;
  struct h5_dataset *last = NULL;
  uint64_t left = 0;
  for (size_t i = 0; i < several->n; i++) {
    struct h5_dataset *dataset = found(lib, several->datasets[i]);
    if (!dataset) continue;
    describe_one(lib, dataset, several, i, &transfer);
    left += weight_of(&transfer);
  }
  if (left == 0) {
    layer_pop(frame, NULL, t1, t2);
    return;
  }
  for (size_t i = 0; left > 0 && i < several->n; i++) {
    struct h5_dataset *dataset = found(lib, several->datasets[i]);
    if (!dataset) continue;
    describe_one(lib, dataset, several, i, &transfer);
    last = dataset;
    uint64_t weight = weight_of(&transfer);
    if (weight > left) weight = left; /* a dataset has grown between the two queries */
    uint64_t end = t1 + (uint64_t)((unsigned __int128)(t2 - t1) * weight / left);
    book(dataset, operation, &transfer, t1, end);
    layer_share(frame, &dataset->layer, weight, left, t1, end);
    left -= weight;
    t1 = end;
  }
  if (left > 0) layer_share(frame, last ? &last->layer : NULL, left, left, t1, t2);
  if (last) h5_meta(h5_file_at(last->file), H5_META_MULTI_OPS, -1, NULL, t1, t2);
}

void h5d_multi(struct h5_library *lib, int result, enum h5d_operation operation,
               const struct h5d_selections *selections, struct layer_frame *frame, uint64_t t1,
               uint64_t t2) {
  if (result >= 0)
    share_out(lib, operation, selections, frame, t1, t2);
  else
    layer_pop(frame, NULL, t1, t2);
}

/* Counts the transfer of a whole chunk in its stored form (H5Dread_chunk, H5Dwrite_chunk), unless
 * it failed (result is negative). offset: of the chunk in the dataset, an element per dimension.
 * bytes: the chunk's stored size; for a read, whose arguments do not contain it, the library is
 * queried. */
void h5d_chunk(struct h5_library *lib, const struct h5_known *known, int result,
               enum h5d_operation operation, const uint64_t *offset, uint64_t bytes,
               struct layer_frame *frame, uint64_t t1, uint64_t t2) {
  struct transfer transfer = {.selects = -1};
  struct h5_dataset *dataset = result >= 0 ? h5d_of(lib, known) : NULL;
  layer_pop(frame, dataset ? &dataset->layer : NULL, t1, t2);
  if (!dataset) return;
  if (operation == H5D_READ && lib->H5Dget_chunk_storage_size)
    lib->H5Dget_chunk_storage_size(known->id, offset, &bytes);
  transfer.access[0] = (int64_t)bytes;
  book(dataset, operation, &transfer, t1, t2);
  h5_meta(h5_file_at(dataset->file),
          operation == H5D_READ ? H5_META_CHUNK_READS : H5_META_CHUNK_WRITES, -1, NULL, t1, t2);
}
