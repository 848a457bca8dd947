/* Counts calls of libdfs and libdaos in the record of a DAOS file or object, and computes the bytes
 * that they request. */
#include "../../counting/size-bins.h"
#include "../heatmap/heatmap.h"
#include "daos.h"
#include "modules/daos/records.h"

enum { META, READ, WRITE }; /* indexes of last_end */

/* Indexes of the counters that DFS and DAOS records share, counted from BYTES_READ. After each
 * counter (or group of counters) of reads, the same follows for writes. */
enum {
  BYTES_READ,
  RW_SWITCHES = DFS_RW_SWITCHES - (int)DFS_BYTES_READ,
  MAX_READ_TIME_SIZE = DFS_MAX_READ_TIME_SIZE - (int)DFS_BYTES_READ,
  SIZE_READ = DFS_SIZE_READ_0_100 - (int)DFS_BYTES_READ,
  ACCESSES = DFS_ACCESS1_ACCESS - (int)DFS_BYTES_READ,
  ACCESS_COUNTS = DFS_ACCESS1_COUNT - (int)DFS_BYTES_READ
};
#define SAME(counter)                                                                              \
  static_assert(DFS_##counter - (int)DFS_BYTES_READ == DAOS_##counter - (int)DAOS_BYTES_READ,      \
                "both have these counters in this order")
SAME(BYTES_WRITTEN);
SAME(RW_SWITCHES);
SAME(MAX_READ_TIME_SIZE);
SAME(MAX_WRITE_TIME_SIZE);
SAME(SIZE_READ_0_100);
SAME(SIZE_WRITE_0_100);
SAME(ACCESS1_ACCESS);
SAME(ACCESS1_COUNT);
SAME(ACCESS4_COUNT);
static_assert(DFS_BYTES_WRITTEN == DFS_BYTES_READ + 1, "pairs");
static_assert(DFS_MAX_WRITE_TIME_SIZE == DFS_MAX_READ_TIME_SIZE + 1, "pairs");
static_assert(DFS_SIZE_WRITE_0_100 == DFS_SIZE_READ_0_100 + 10, "pairs");
static_assert(DFS_F_WRITE_START_TIMESTAMP == DFS_F_READ_START_TIMESTAMP + 1, "pairs");
static_assert(DFS_F_WRITE_END_TIMESTAMP == DFS_F_READ_END_TIMESTAMP + 1, "pairs");
static_assert(DFS_F_WRITE_TIME == DFS_F_READ_TIME + 1, "pairs");
static_assert(DFS_F_MAX_WRITE_TIME == DFS_F_MAX_READ_TIME + 1, "pairs");
static_assert((int)DFS_NUM_FCOUNTERS == (int)DAOS_NUM_FCOUNTERS &&
                  (int)DFS_F_META_TIME == (int)DAOS_F_META_TIME &&
                  (int)DFS_F_MAX_WRITE_TIME == (int)DAOS_F_MAX_WRITE_TIME &&
                  (int)DFS_F_CLOSE_END_TIMESTAMP == (int)DAOS_F_CLOSE_END_TIMESTAMP,
              "both have the same times");

/* Adds 1 to the counter of a call. An asynchronous call on an object (event is not NULL) also adds
 * 1 to DAOS_NB_OPS. For files, only transfers have such counters, in daos_count_transfer. The
 * caller holds the lock. */
static void note(struct daos_item *item, int counter, const void *event) {
  item->counters[counter]++;
  if (event && !item->is_file) item->counters[DAOS_NB_OPS]++;
}

static void add_time(struct daos_item *item, int kind, int fcounter, struct clock_span at) {
  item->fcounters[fcounter] += record_time(&item->last_end[kind], at);
}

void daos_counted(const struct daos_call *call, struct daos_item *item, int counter,
                  const void *event) {
  if (call->result != 0 || !item || !record_lock(&item->lock)) return;
  note(item, counter, event);
  add_time(item, META, DFS_F_META_TIME, ticks_span(call->t1, call->t2));
  record_unlock(&item->lock);
}

void daos_count_open(const struct daos_call *call, struct daos_item *item, int counter,
                     const void *event) {
  if (!record_lock(&item->lock)) return;
  struct clock_span at = ticks_span(call->t1, call->t2);
  note(item, counter, event);
  record_note_start(&item->fcounters[DFS_F_OPEN_START_TIMESTAMP], at.start);
  item->fcounters[DFS_F_OPEN_END_TIMESTAMP] = at.end;
  add_time(item, META, DFS_F_META_TIME, at);
  record_unlock(&item->lock);
}

void daos_count_close(const struct daos_call *call, struct daos_item *item) {
  if (!record_lock(&item->lock)) return;
  struct clock_span at = ticks_span(call->t1, call->t2);
  record_note_start(&item->fcounters[DFS_F_CLOSE_START_TIMESTAMP], at.start);
  item->fcounters[DFS_F_CLOSE_END_TIMESTAMP] = at.end;
  add_time(item, META, DFS_F_META_TIME, at);
  record_unlock(&item->lock);
}

static void add_transfer(struct daos_item *item, int writes, int64_t bytes, struct clock_span at) {
  int64_t *counters = item->transfers;
  double *times = item->fcounters;
  counters[BYTES_READ + writes] += bytes;
  counters[RW_SWITCHES] += item->last_operation == 2 - (uint32_t)writes;
  item->last_operation = 1 + (uint32_t)writes;
  counters[SIZE_READ + 10 * writes + size_bin(bytes)]++;
  common_values_count(&item->accesses, &darshan_scratch, &counters[ACCESSES],
                      &counters[ACCESS_COUNTS], bytes);
  record_note_start(&times[DFS_F_READ_START_TIMESTAMP + writes], at.start);
  times[DFS_F_READ_END_TIMESTAMP + writes] = at.end;
  add_time(item, READ + writes, DFS_F_READ_TIME + writes, at);
  if (clock_length(at) >= times[DFS_F_MAX_READ_TIME + writes]) {
    times[DFS_F_MAX_READ_TIME + writes] = clock_length(at);
    counters[MAX_READ_TIME_SIZE + writes] = bytes;
  }
}

void daos_count_transfer(const struct daos_call *call, struct daos_item *item, int counter,
                         int writes, int64_t bytes, const void *event) {
  if (bytes < 0 || !record_lock(&item->lock)) return;
  note(item, counter, event);
  if (event && item->is_file) item->counters[DFS_NB_READS + writes]++;
  add_transfer(item, writes, bytes, ticks_span(call->t1, call->t2));
  heatmap_add(item->is_file ? HEATMAP_DFS : HEATMAP_DAOS, &item->span, item->booked,
              &item->transfers[BYTES_READ], &item->transfers[BYTES_READ + 1], writes, bytes,
              call->t1, call->t2);
  record_unlock(&item->lock);
}
static_assert(DFS_NB_WRITES == DFS_NB_READS + 1, "pairs");

static void settle(enum heatmap_layer layer, enum store_module module, const struct segments *items,
                   int read) {
  heatmap_settle(&(struct heatmap_source){
      .layer = layer,
      .module = module,
      .locks = items,
      .spans = items,
      .span = offsetof(struct daos_item, span),
      .booked = offsetof(struct daos_item, booked),
      .read = read,
      .written = read + 1,
  });
}

void daos_settle_heatmaps(void) {
  settle(HEATMAP_DFS, STORE_DFS, &daos_state.files, DFS_BYTES_READ);
  settle(HEATMAP_DAOS, STORE_DAOS, &daos_state.objects, DAOS_BYTES_READ);
}

int64_t daos_sgl_bytes(const daos_sgl *sgl) {
  size_t bytes = 0;
  for (uint32_t i = 0; sgl && sgl->iovs && i < sgl->n; i++)
    bytes += sgl->iovs[i].length;
  return (int64_t)bytes;
}

int64_t daos_iods_bytes(uint32_t n, const struct daos_iod *iods, const daos_sgl *sgls) {
  /* If the size of a value is unknown before the call, the length of its buffers is used. Without
   * buffers the call only queries sizes, and the result is 0. */
  uint64_t bytes = 0;
  for (uint32_t i = 0; iods && sgls && i < n; i++) {
    const struct daos_iod *iod = &iods[i];
    uint64_t records = iod->type == DAOS_IOD_SINGLE;
    for (uint32_t j = 0; iod->type != DAOS_IOD_SINGLE && iod->recxs && j < iod->n; j++)
      records += iod->recxs[j].n;
    bytes += iod->size ? records * iod->size : (uint64_t)daos_sgl_bytes(&sgls[i]);
  }
  return (int64_t)bytes;
}

int64_t daos_cells_bytes(const struct daos_item *array, const struct daos_array_iod *iod) {
  uint64_t cells = 0;
  for (uint64_t i = 0; iod && iod->ranges && i < iod->n; i++)
    cells += iod->ranges[i].n;
  return (int64_t)(cells * (array && array->cell_bytes ? array->cell_bytes : 1));
}
