/* DAOS: counts calls of libdaos on objects: plain objects, arrays and key-value stores. */
#include "daos.h"
#include "modules/daos/records.h"

static void note_cells(uint32_t number, uint64_t cell_size, uint64_t chunk_size) {
  struct daos_item *item = daos_item_at(DAOS_AN_ARRAY, number);
  if (!record_lock(&item->lock)) return;
  item->cell_bytes = cell_size;
  item->counters[DAOS_ARRAY_CELL_SIZE] = (int64_t)cell_size;
  item->counters[DAOS_ARRAY_CHUNK_SIZE] = (int64_t)chunk_size;
  record_unlock(&item->lock);
}

static void note_told_cells(uint32_t number, const uint64_t *cell_size,
                            const uint64_t *chunk_size) {
  if (cell_size && chunk_size) note_cells(number, *cell_size, *chunk_size);
}

/* Counts an open of an object, if it succeeded. Stores its handle and, of an array, the sizes of
 * cells and chunks, immediately or, if the library sets them only when the event completes, at that
 * time. */
void daos_opened(const struct daos_call *call, const struct daos_opening *opening) {
  const daos_handle *handle = opening->handle;
  if (call->result != 0 || !handle) return;
  uint32_t container = daos_number_of(DAOS_A_CONTAINER, opening->container.cookie);
  struct daos_item *item = daos_object(container, opening->oid);
  if (!item) {
    daos_forget(call, opening->kind, handle->cookie); /* a closed object may have had this handle */
    return;
  }
  daos_count_open(call, item, opening->counter, opening->event);
  int later = opening->event && handle->cookie == opening->before.cookie;
  if (!opening->told || !later)
    note_told_cells(item->number, opening->cell_size, opening->chunk_size);
  if (later)
    daos_expect(&(struct daos_pending){
        .event = opening->event,
        .handle = handle,
        .number = item->number,
        .kind = opening->kind,
        .cell_size = opening->told ? opening->cell_size : NULL,
        .chunk_size = opening->told ? opening->chunk_size : NULL,
    });
  else
    daos_remember(opening->kind, handle->cookie, item->number);
}

void daos_completed(const struct daos_call *call, struct daos_event *const *events, int n) {
  if (call->result < 0 || !events) return;
  for (int i = 0; i < n; i++) {
    struct daos_pending done = daos_expected(events[i]);
    if (!done.event || events[i]->error != 0) continue;
    daos_remember(done.kind, done.handle->cookie, done.number);
    note_told_cells(done.number, done.cell_size, done.chunk_size);
  }
}

void daos_closed(const struct daos_call *call, struct daos_item *item, enum daos_kind kind,
                 daos_handle handle, const void *event) {
  (void)event; /* the handle is invalid from now on, even if the close is asynchronous */
  if (call->result != 0 || !item) return;
  daos_count_close(call, item);
  daos_forget(call, kind, handle.cookie);
}

void daos_transferred(const struct daos_call *call, struct daos_item *item, int counter, int writes,
                      int64_t bytes, const void *event) {
  if (call->result == 0 && item) daos_count_transfer(call, item, counter, writes, bytes, event);
}
