/* Counts calls of cuFile and hipFile in the GDS record of a file, and determines which of the bytes
 * took the compatibility path, that is, were moved by POSIX calls. */
#include "../../counting/size-bins.h"
#include "gds.h"
#include "modules/gds/records.h"

enum { META, READ, WRITE }; /* indexes of last_end */
enum { GDS_ALIGNMENT = 4096 };

static_assert(GDS_WRITES == GDS_READS + 1 && GDS_BATCH_WRITES == GDS_BATCH_READS + 1, "pairs");
static_assert(GDS_NB_WRITES == GDS_NB_READS + 1, "pairs");
static_assert(GDS_BYTES_WRITTEN == GDS_BYTES_READ + 1, "pairs");
static_assert(GDS_COMPAT_BYTES_WRITTEN == GDS_COMPAT_BYTES_READ + 1, "pairs");
static_assert(GDS_MAX_WRITE_TIME_SIZE == GDS_MAX_READ_TIME_SIZE + 1, "pairs");
static_assert(GDS_SIZE_WRITE_0_100 == GDS_SIZE_READ_0_100 + 10, "pairs");
static_assert(GDS_F_WRITE_START_TIMESTAMP == GDS_F_READ_START_TIMESTAMP + 1, "pairs");
static_assert(GDS_F_WRITE_END_TIMESTAMP == GDS_F_READ_END_TIMESTAMP + 1, "pairs");
static_assert(GDS_F_WRITE_TIME == GDS_F_READ_TIME + 1, "pairs");
static_assert(GDS_F_MAX_WRITE_TIME == GDS_F_MAX_READ_TIME + 1, "pairs");

/* --- which path the bytes took ----------------------------------------------------------- */

/* Returns the bytes in the file's POSIX record: written (writes is 1) or read (0); 0 if unknown. */
static int64_t posix_bytes(const struct gds_item *item, int writes) {
  return item->posix ? __atomic_load_n(&item->posix[writes], __ATOMIC_RELAXED) : 0;
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Adds the bytes that POSIX calls on the file moved since posix_bytes was `before`, but at most
 * `bytes`, to the counter of the compatibility path (GDS_COMPAT_BYTES_READ or _WRITTEN). Returns
 * the number of bytes added; 0 if there are none. The caller of this function, of settle and of
 * await holds the lock. */
static int64_t add_compat(struct gds_item *item, int writes, int64_t bytes, int64_t before) {
  int64_t moved = smaller(bytes, posix_bytes(item, writes) - before);
  if (!item->posix || moved <= 0) return 0;
  item->record->counters[GDS_COMPAT_BYTES_READ + writes] += moved;
  return moved;
}

/* For the compatibility path, cuFile moves the bytes of batches and streams by POSIX calls, some
 * time after the call that submitted them. Adds the bytes that it has moved so far to the record
 * and to item->seen, and subtracts them from item->awaited. writes: 1 for writes, 0 for reads. */
static void settle(struct gds_item *item, int writes) {
  int64_t moved = item->awaited[writes]
                      ? add_compat(item, writes, item->awaited[writes], item->seen[writes])
                      : 0;
  item->awaited[writes] -= moved;
  item->seen[writes] += moved;
}

/* Adds the bytes of a batch or stream to item->awaited: it is not known yet whether POSIX calls
 * move them. writes: 1: a write, 0: a read. before: posix_bytes before the call. */
static void await(struct gds_item *item, int writes, int64_t bytes, int64_t before) {
  settle(item, writes);
  if (!item->awaited[writes]) item->seen[writes] = before;
  item->awaited[writes] += bytes;
}

void gds_settle(void) {
  uint32_t count = store_fill(&darshan_store, STORE_GDS).count;
  for (uint32_t number = 1; number <= count; number++) {
    struct gds_item *item = gds_item_at(number);
    if (!item->record || !record_lock(&item->lock)) continue;
    settle(item, 0);
    settle(item, 1);
    record_unlock(&item->lock);
  }
}

/* --- calls ------------------------------------------------------------------------------- */

void gds_before(struct gds_call *call, enum layer_operation operation) {
  struct gds_item *item = call->item;
  for (int writes = 0; item && writes < 2; writes++)
    call->posix[writes] = posix_bytes(item, writes);
  call->frame = layer_push(operation, item ? &item->layer : NULL);
}

/* Ends the LAYERS frame of a call. bytes: bytes read and written that the call moved or began to
 * move. */
static void done_with(const struct gds_call *call, const int64_t bytes[2]) {
  layer_moved(call->frame, bytes[0], bytes[1]);
  layer_pop(call->frame, call->item ? &call->item->layer : NULL, call->t1, call->t2);
}

static void done(const struct gds_call *call) {
  static const int64_t nothing[2];
  done_with(call, nothing);
}

/* Returns the item (state) of a call, with its lock held (record_unlock); NULL, without the lock,
 * if the call failed (result is not 0), has no item, or must not be counted. */
static struct gds_item *locked(const struct gds_call *call, int result) {
  struct gds_item *item = result == 0 ? call->item : NULL;
  return item && record_lock(&item->lock) ? item : NULL;
}

static void add_time(struct gds_item *item, int kind, int fcounter, struct clock_span at) {
  item->record->fcounters[fcounter] += record_time(&item->last_end[kind], at);
}

static void add_meta(struct gds_item *item, const struct gds_call *call) {
  add_time(item, META, GDS_F_META_TIME, ticks_span(call->t1, call->t2));
}

void gds_registered(struct gds_call *call, int result, const struct gds_source *source,
                    void *const *handle) {
  call->item = result == 0 && handle ? gds_file(source) : NULL;
  struct gds_item *item = locked(call, 0);
  if (item) {
    struct clock_span at = ticks_span(call->t1, call->t2);
    double *times = item->record->fcounters;
    item->record->counters[GDS_OPENS]++;
    record_note_start(&times[GDS_F_OPEN_START_TIMESTAMP], at.start);
    times[GDS_F_OPEN_END_TIMESTAMP] = at.end;
    add_meta(item, call);
    record_unlock(&item->lock);
    gds_remember(GDS_A_FILE, *handle, item->number);
  } else if (result == 0 && handle) {
    gds_forget(GDS_A_FILE, *handle); /* a closed file may have had this handle */
  }
  done(call);
}

void gds_deregistered(struct gds_call *call, const void *handle) {
  struct gds_item *item = locked(call, 0);
  if (item) {
    struct clock_span at = ticks_span(call->t1, call->t2);
    double *times = item->record->fcounters;
    settle(item, 0);
    settle(item, 1);
    record_note_start(&times[GDS_F_CLOSE_START_TIMESTAMP], at.start);
    times[GDS_F_CLOSE_END_TIMESTAMP] = at.end;
    add_meta(item, call);
    record_unlock(&item->lock);
  }
  gds_forget(GDS_A_FILE, handle);
  done(call);
}

void gds_called(struct gds_call *call, int result) {
  struct gds_item *item = locked(call, result);
  if (item) {
    add_meta(item, call);
    record_unlock(&item->lock);
  }
  done(call);
}

void gds_buffer_registered(struct gds_call *call, int result, size_t bytes) {
  struct gds_item *item = locked(call, result);
  if (item) {
    item->record->counters[GDS_BUFFERS]++;
    item->record->counters[GDS_BUFFER_BYTES] += (int64_t)bytes;
    add_meta(item, call);
    record_unlock(&item->lock);
  }
  done(call);
}

/* Counts a transfer of the item, except its time. counter: index of the counter of reads; that of
 * writes follows. The caller holds the lock. */
static void add_transfer(struct gds_item *item, int counter, int writes, int64_t bytes,
                         int64_t offset) {
  int64_t *counters = item->record->counters;
  counters[counter + writes]++;
  counters[GDS_BYTES_READ + writes] += bytes;
  counters[GDS_SIZE_READ_0_100 + 10 * writes + size_bin(bytes)]++;
  counters[GDS_UNALIGNED] += (bytes | offset) % GDS_ALIGNMENT != 0;
}

/* Counts the time of a call that moved `bytes` bytes, or began to move them. The caller holds the
 * lock. */
static void add_transfer_time(struct gds_item *item, const struct gds_call *call, int writes,
                              int64_t bytes) {
  struct clock_span at = ticks_span(call->t1, call->t2);
  double *times = item->record->fcounters;
  record_note_start(&times[GDS_F_READ_START_TIMESTAMP + writes], at.start);
  times[GDS_F_READ_END_TIMESTAMP + writes] = at.end;
  add_time(item, READ + writes, GDS_F_READ_TIME + writes, at);
  if (clock_length(at) < times[GDS_F_MAX_READ_TIME + writes]) return;
  times[GDS_F_MAX_READ_TIME + writes] = clock_length(at);
  item->record->counters[GDS_MAX_READ_TIME_SIZE + writes] = bytes;
}

void gds_transferred(struct gds_call *call, ssize_t result, int writes, off_t offset) {
  struct gds_item *item = locked(call, result < 0);
  int64_t bytes[2] = {0, 0};
  if (item) {
    add_transfer(item, GDS_READS, writes, result, offset);
    add_transfer_time(item, call, writes, result);
    int64_t moved = add_compat(item, writes, result, call->posix[writes]);
    if (item->awaited[writes]) item->seen[writes] += moved;
    record_unlock(&item->lock);
    bytes[writes] = result;
  }
  done_with(call, bytes);
}

void gds_streamed(struct gds_call *call, int result, int writes, const size_t *size,
                  const off_t *offset) {
  struct gds_item *item = locked(call, result);
  int64_t bytes[2] = {0, 0};
  if (item) {
    bytes[writes] = size ? (int64_t)*size : 0;
    add_transfer(item, GDS_NB_READS, writes, bytes[writes], offset ? *offset : 0);
    add_transfer_time(item, call, writes, bytes[writes]);
    await(item, writes, bytes[writes], call->posix[writes]);
    record_unlock(&item->lock);
  }
  done_with(call, bytes);
}

void gds_submitted(struct gds_call *call, int result, const void *batch, unsigned n,
                   const struct gds_request *requests) {
  struct gds_item *first = result == 0 ? call->item : NULL;
  int64_t all[2] = {0, 0};
  for (unsigned i = 0; result == 0 && requests && i < n; i++) {
    int64_t bytes = (int64_t)requests[i].size;
    int writes = requests[i].writes != 0;
    struct gds_item *item = gds_item_of(GDS_A_FILE, requests[i].handle);
    if (!item || !record_lock(&item->lock)) continue;
    add_transfer(item, GDS_BATCH_READS, writes, bytes, requests[i].file_offset);
    /* The time of the call is counted once, in the record of the first file. */
    if (item == first && i == 0) add_transfer_time(item, call, writes, bytes);
    await(item, writes, bytes, item == first ? call->posix[writes] : posix_bytes(item, writes));
    record_unlock(&item->lock);
    all[writes] += bytes;
  }
  if (first) gds_remember(GDS_A_BATCH, batch, first->number);
  done_with(call, all);
}

void gds_waited(struct gds_call *call) {
  struct gds_item *item = locked(call, 0);
  if (item) {
    int writes = item->awaited[1] > item->awaited[0];
    settle(item, 0);
    settle(item, 1);
    add_time(item, READ + writes, GDS_F_READ_TIME + writes, ticks_span(call->t1, call->t2));
    record_unlock(&item->lock);
  }
  done(call);
}
