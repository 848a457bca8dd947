/* Counts reads and writes by MPI-IO. */
#include "../../counting/size-bins.h"
#include "../dxt/dxt.h"
#include "../heatmap/heatmap.h"
#include "mpiio.h"

/* Adds a transfer to the heat map of MPI-IO. number: of the MPI-IO record, to which the caller has
 * already added the bytes and whose lock it holds. */
static void heatmap_mpiio(uint32_t number, int writes, int64_t bytes, uint64_t t1, uint64_t t2) {
  struct heatmap_slot *slot = segments_at(&heatmap_state.mpiio, number);
  const struct darshan_mpiio_record *record = store_record(&darshan_store, STORE_MPIIO, number);
  heatmap_add(HEATMAP_MPIIO, &slot->span, slot->booked, &record->counters[MPIIO_BYTES_READ],
              &record->counters[MPIIO_BYTES_WRITTEN], writes, bytes, t1, t2);
}

/* Counters of reads and of writes must be adjacent, because one function serves both. */
static_assert(MPIIO_INDEP_WRITES == MPIIO_INDEP_READS + 1, "pairs");
static_assert(MPIIO_COLL_WRITES == MPIIO_COLL_READS + 1, "pairs");
static_assert(MPIIO_SPLIT_WRITES == MPIIO_SPLIT_READS + 1, "pairs");
static_assert(MPIIO_NB_WRITES == MPIIO_NB_READS + 1, "pairs");
static_assert(MPIIO_BYTES_WRITTEN == MPIIO_BYTES_READ + 1, "pairs");
static_assert(MPIIO_MAX_WRITE_TIME_SIZE == MPIIO_MAX_READ_TIME_SIZE + 1, "pairs");
static_assert(MPIIO_SIZE_WRITE_AGG_0_100 == MPIIO_SIZE_READ_AGG_0_100 + 10, "pairs");
static_assert(MPIIO_F_WRITE_START_TIMESTAMP == MPIIO_F_READ_START_TIMESTAMP + 1, "pairs");
static_assert(MPIIO_F_WRITE_END_TIMESTAMP == MPIIO_F_READ_END_TIMESTAMP + 1, "pairs");
static_assert(MPIIO_F_WRITE_TIME == MPIIO_F_READ_TIME + 1, "pairs");
static_assert(MPIIO_F_MAX_WRITE_TIME == MPIIO_F_MAX_READ_TIME + 1, "pairs");
static_assert(MPIIO_EXT_SHARED_WRITES == MPIIO_EXT_SHARED_READS + 1, "pairs");
static_assert(MPIIO_EXT_WRITES_DONE == MPIIO_EXT_READS_DONE + 1, "pairs");
static_assert(MPIIO_EXT_BYTES_WRITTEN_DONE == MPIIO_EXT_BYTES_READ_DONE + 1, "pairs");
static_assert(MPIIO_EXT_SHORT_WRITES == MPIIO_EXT_SHORT_READS + 1, "pairs");
static_assert(MPIIO_EXT_F_NB_WRITE_TIME == MPIIO_EXT_F_NB_READ_TIME + 1, "pairs");
static_assert(MPIIO_EXT_F_SPLIT_WRITE_TIME == MPIIO_EXT_F_SPLIT_READ_TIME + 1, "pairs");
static_assert(MPIIO_EXT_F_SPLIT_WRITE_END_TIME == MPIIO_EXT_F_SPLIT_READ_END_TIME + 1, "pairs");
static_assert(MPIIO_EXT_F_WRITE_DONE_TIMESTAMP == MPIIO_EXT_F_READ_DONE_TIMESTAMP + 1, "pairs");

static void count_times(struct mpiio_file *file, int op, int64_t bytes, uint64_t t1, uint64_t t2) {
  double *times = file->record->fcounters;
  struct clock_span at = ticks_span(t1, t2);
  record_note_start(&times[MPIIO_F_READ_START_TIMESTAMP + op - 1], at.start);
  times[MPIIO_F_READ_END_TIMESTAMP + op - 1] = at.end;
  if (at.end - at.start >= times[MPIIO_F_MAX_READ_TIME + op - 1]) {
    times[MPIIO_F_MAX_READ_TIME + op - 1] = at.end - at.start;
    file->record->counters[MPIIO_MAX_READ_TIME_SIZE + op - 1] = bytes;
  }
  times[MPIIO_F_READ_TIME + op - 1] += record_time(&file->last_end[op], at);
}

/* Counts a transfer in the file's record. op: MPIIO_READ or MPIIO_WRITE. counter: index of the
 * counter of reads; that of writes follows. bytes: requested. */
static void count(struct mpiio_file *file, int op, int counter, int64_t bytes, uint64_t t1,
                  uint64_t t2) {
  int64_t *counters = file->record->counters;
  counters[counter + op - 1]++;
  counters[MPIIO_BYTES_READ + op - 1] += bytes;
  counters[MPIIO_SIZE_READ_AGG_0_100 + 10 * (op - 1) + size_bin(bytes)]++;
  counters[MPIIO_RW_SWITCHES] += (int)file->last_operation == 3 - op;
  file->last_operation = (uint32_t)op;
  common_values_count(&file->access, &darshan_scratch, &counters[MPIIO_ACCESS1_ACCESS],
                      &counters[MPIIO_ACCESS1_COUNT], bytes);
  count_times(file, op, bytes, t1, t2);
}

void mpiio_note_done(struct mpiio_file *file, enum mpiio_operation operation, int64_t asked,
                     int64_t done) {
  if (!file->ext) return;
  int64_t *counters = file->ext->counters;
  int writes = operation == MPIIO_WRITE;
  counters[MPIIO_EXT_READS_DONE + writes]++;
  counters[MPIIO_EXT_WITHOUT_STATUS] += done < 0;
  if (done < 0) return;
  counters[MPIIO_EXT_BYTES_READ_DONE + writes] += done;
  counters[MPIIO_EXT_SHORT_READS + writes] += done < asked;
}

void mpiio_note_late(struct mpiio_file *file, enum mpiio_operation operation, int counter,
                     uint64_t begun, uint64_t t2) {
  if (!file->ext) return;
  int writes = operation == MPIIO_WRITE;
  struct clock_span at = ticks_span(begun, t2);
  double *times = file->ext->fcounters;
  double *last = &times[MPIIO_EXT_F_READ_DONE_TIMESTAMP + writes];
  times[counter + writes] += at.end - at.start;
  if (at.end > *last) *last = at.end;
}

/* Returns the offset of the transfer in the view, in etypes; -1: unknown, as with the shared file
 * pointer. A transfer by the individual file pointer also advances this pointer by the requested
 * bytes. The caller holds the file's lock. */
static int64_t place_of(struct mpiio_handle *handle, const struct mpiio_transfer *transfer,
                        int64_t bytes) {
  int64_t at = handle->position, unit = handle->view.unit;
  switch (transfer->pointer) {
  case MPIIO_EXPLICIT:
    return transfer->offset;
  case MPIIO_INDIVIDUAL:
    if (at >= 0) handle->position = unit ? at + (bytes + unit - 1) / unit : -1;
    return at;
  case MPIIO_SHARED:
    break;
  }
  return -1;
}

/* Counts a successful transfer in the record, the heat map and the trace. bytes: requested. done:
 * transferred, -1 if unknown. The caller holds the file's lock. */
static void count_all(struct mpiio_call *call, const struct mpiio_transfer *transfer, int64_t bytes,
                      int64_t done, uint64_t t1, uint64_t t2) {
  struct mpiio_file *file = call->file;
  enum mpiio_operation op = transfer->operation;
  count(file, op, transfer->counter, bytes, t1, t2);
  if (transfer->pointer == MPIIO_SHARED && file->ext)
    file->ext->counters[MPIIO_EXT_SHARED_READS + (op == MPIIO_WRITE)]++;
  int64_t place = mpiio_view_place(&call->handle->view, place_of(call->handle, transfer, bytes));
  uint32_t number = mpiio_file_number(file);
  heatmap_mpiio(number, op == MPIIO_WRITE, bytes, t1, t2);
  dxt_mpiio(number, op == MPIIO_WRITE, bytes, place, t1, t2);
  if (transfer->end == MPIIO_AT_ONCE) mpiio_note_done(file, op, bytes, done);
  if (transfer->end == MPIIO_SPLIT) {
    call->handle->split_kind = op;
    call->handle->split_bytes = bytes;
    call->handle->split_begun = t1;
  }
}

void mpiio_transferred(struct mpiio_call *call, int result, const struct mpiio_transfer *transfer,
                       int64_t count, mpi_handle type, uint64_t t1, uint64_t t2) {
  int64_t bytes = -1, done = -1;
  if (result == 0) {
    int64_t size = mpi_type_bytes(type);
    if (size < 0 || count < 0 || __builtin_mul_overflow(size, count, &bytes)) bytes = 0;
    if (transfer->end == MPIIO_AT_ONCE) done = mpi_status_bytes(transfer->result);
    if (transfer->end == MPIIO_REQUEST && mpi_can_ask())
      mpiio_request_begun(call->file, transfer->operation, bytes,
                          mpi_handle_at(transfer->result, 0), t1);
  }
  if (result == 0 && record_lock(&call->file->lock)) {
    count_all(call, transfer, bytes, done, t1, t2);
    record_unlock(&call->file->lock);
  }
  mpiio_end(call, transfer->operation, bytes, t1, t2);
}

void mpiio_split_ended(struct mpiio_call *call, int result, const void *status, uint64_t t1,
                       uint64_t t2) {
  struct mpiio_handle *handle = call->handle;
  struct mpiio_file *file = call->file;
  int64_t done = result == 0 ? mpi_status_bytes(status) : -1;
  if (result == 0 && record_lock(&file->lock)) {
    enum mpiio_operation op = handle->split_kind;
    if (op != MPIIO_META && file->ext) {
      mpiio_note_done(file, op, handle->split_bytes, done);
      mpiio_note_late(file, op, MPIIO_EXT_F_SPLIT_READ_TIME, handle->split_begun, t2);
      file->ext->fcounters[MPIIO_EXT_F_SPLIT_READ_END_TIME + (op == MPIIO_WRITE)] +=
          clock_length(ticks_span(t1, t2));
    }
    handle->split_kind = MPIIO_META;
    record_unlock(&file->lock);
  }
  mpiio_end(call, MPIIO_META, -1, t1, t2);
}

void mpiio_ended(void) {
  heatmap_settle(&(struct heatmap_source){
      .layer = HEATMAP_MPIIO,
      .module = STORE_MPIIO,
      .locks = &mpiio_state.files,
      .spans = &heatmap_state.mpiio,
      .span = offsetof(struct heatmap_slot, span),
      .booked = offsetof(struct heatmap_slot, booked),
      .read = MPIIO_BYTES_READ,
      .written = MPIIO_BYTES_WRITTEN,
  });
}
