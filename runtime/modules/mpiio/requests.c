/* Non-blocking reads and writes, from the call that starts one to the wait or test that finds it
 * complete. Before a call that waits for many requests, the runtime marks the requests on files.
 * After the call, a request is complete if MPI has replaced its handle in the array. */
#include "mpiio.h"

static uint32_t bucket_of(mpi_handle key) {
  return (uint32_t)((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 40) % MPIIO_BUCKETS;
}

static struct mpiio_request *request_at(uint32_t number) {
  return segments_at(&mpiio_state.requests->request, number);
}

/* Returns the request in progress with this key, or NULL. The caller holds the tables' lock. */
static struct mpiio_request *find(struct mpiio_requests *table, mpi_handle key) {
  for (uint32_t i = table->bucket[bucket_of(key)]; i; i = request_at(i)->next)
    if (request_at(i)->key == key) return request_at(i);
  return NULL;
}

/* Adds a request to the bucket of this key and returns it, with number and next set; NULL if the
 * table is full or memory is exhausted. The caller sets the key and holds the tables' lock. */
static struct mpiio_request *add(struct mpiio_requests *table, mpi_handle key) {
  uint32_t i = table->free ? table->free : table->used + 1;
  if (i > MPIIO_REQUESTS || segments_have(&table->request, i) < 0) return NULL;
  struct mpiio_request *request = request_at(i);
  if (table->free)
    table->free = request->next;
  else
    table->used = i;
  uint32_t *bucket = &table->bucket[bucket_of(key)];
  request->number = i;
  request->next = *bucket;
  *bucket = i;
  return request;
}

/* Removes a request from the table. The caller holds the tables' lock. */
static void take_out(struct mpiio_requests *table, struct mpiio_request *request) {
  uint32_t *link = &table->bucket[bucket_of(request->key)];
  while (*link != request->number)
    link = &request_at(*link)->next;
  *link = request->next;
  request->next = table->free;
  table->free = request->number;
}

void mpiio_request_begun(struct mpiio_file *file, enum mpiio_operation operation, int64_t bytes,
                         mpi_handle key, uint64_t t1) {
  struct mpiio_state *mpiio = &mpiio_state;
  if (mpi_same(key, mpi_constant(REQUEST_NULL))) return;
  if (!record_lock(&mpiio->lock)) return;
  struct mpiio_request *request = find(mpiio->requests, key);
  int known = request !=
              NULL; /* some libraries return one handle for all operations that complete at once */
  if (!request) request = add(mpiio->requests, key);
  if (request) {
    *request = (struct mpiio_request){.key = key,
                                      .file = mpiio_file_number(file),
                                      .kind = operation,
                                      .bytes = bytes,
                                      .begun = t1,
                                      .next = request->next,
                                      .place = -1,
                                      .number = request->number};
    if (!known) {
      __atomic_add_fetch(&mpiio->outstanding, 1, __ATOMIC_RELAXED);
      file->outstanding++;
    }
    int64_t *most = file->ext ? &file->ext->counters[MPIIO_EXT_NB_OUTSTANDING_MAX] : NULL;
    if (most && *most < file->outstanding) *most = file->outstanding;
  } else {
    runtime_table_full();
  }
  record_unlock(&mpiio->lock);
}

/* Marks those of the n requests of a wait that are on files with their index (place), and links
 * them (next_here), so that no other call handles them. Returns the number of the first such
 * request; 0 if there is none. */
static uint32_t mark(const void *requests, int n) {
  struct mpiio_state *mpiio = &mpiio_state;
  uint32_t first = 0, *link = &first;
  if (__atomic_load_n(&mpiio->outstanding, __ATOMIC_RELAXED) == 0 || !mpi_can_ask()) return 0;
  if (!record_lock(&mpiio->lock)) return 0;
  for (int i = 0; i < n; i++) {
    struct mpiio_request *request = find(mpiio->requests, mpi_handle_at(requests, i));
    if (!request || request->place >= 0) continue;
    request->place = i;
    request->next_here = 0;
    *link = request->number;
    link = &request->next_here;
  }
  record_unlock(&mpiio->lock);
  return first;
}

int mpiio_wait_begin(struct mpiio_wait *wait, const void *requests, int n) {
  if (!darshan_hot.fd_limit) return 0;
  wait->first = mark(requests, n);
  wait->requests = requests;
  if (!wait->first) {
    if (!layers_inside()) return 0;
    layer_communication_begin(&wait->layer);
    return 1;
  }
  const struct mpiio_request *request = request_at(wait->first);
  layer_mpiio_begin(&wait->layer, request->kind == MPIIO_READ ? LAYER_READ : LAYER_WRITE,
                    &mpiio_file_at(request->file)->layer);
  return 1;
}

/* Returns the status of the request at index `place` among n statuses; NULL if the call has none
 * for it. indices: as in mpiio_wait_end. */
static const void *status_of(int place, const void *statuses, const int *indices, int n) {
  size_t size = mpi_constant(STATUS_SIZE);
  if (!statuses) return NULL;
  for (int i = 0; i < n; i++)
    if ((indices ? indices[i] : i) == place) return (const char *)statuses + (size_t)i * size;
  return NULL;
}

/* Copies a request to *copy and unmarks it. If MPI has completed it, so that its handle in the
 * array `requests` has changed, removes it from the table and returns 1. Returns 0 if it is not
 * complete, or if the lock is not available. */
static int take_over(uint32_t number, const void *requests, struct mpiio_request *copy) {
  struct mpiio_state *mpiio = &mpiio_state;
  struct mpiio_request *request = request_at(number);
  if (!record_lock(&mpiio->lock)) return 0;
  *copy = *request;
  request->place = -1;
  int over = mpi_handle_at(requests, copy->place) != copy->key;
  if (over) {
    take_out(mpiio->requests, request);
    __atomic_sub_fetch(&mpiio->outstanding, 1, __ATOMIC_RELAXED);
    mpiio_file_at(copy->file)->outstanding--;
  }
  record_unlock(&mpiio->lock);
  return over;
}

static void note_over(const struct mpiio_request *request, int64_t done, uint64_t t2) {
  struct mpiio_file *file = mpiio_file_at(request->file);
  if (!record_lock(&file->lock)) return;
  mpiio_note_done(file, request->kind, request->bytes, done);
  mpiio_note_late(file, request->kind, MPIIO_EXT_F_NB_READ_TIME, request->begun, t2);
  record_unlock(&file->lock);
}

static void note_wait(struct mpiio_file *file, uint64_t t1, uint64_t t2) {
  if (!file->ext || !record_lock(&file->lock)) return;
  file->ext->counters[MPIIO_EXT_NB_WAITS]++;
  file->ext->fcounters[MPIIO_EXT_F_NB_WAIT_TIME] += clock_length(ticks_span(t1, t2));
  record_unlock(&file->lock);
}

static void leave_layer(const struct mpiio_wait *wait, struct mpiio_file *file, uint64_t t1,
                        uint64_t t2) {
  layer_mpiio_end(&wait->layer, wait->layer.own_frame ? mpiio_layer(file) : NULL, -1, -1, t1, t2);
}

void mpiio_wait_end(const struct mpiio_wait *wait, int result, const void *statuses,
                    const int *indices, int num_statuses, uint64_t t1, uint64_t t2) {
  if (!wait->first) {
    layer_communication_end(&wait->layer, t1, t2);
    return;
  }
  struct mpiio_file *file = mpiio_file_at(request_at(wait->first)->file);
  for (uint32_t i = wait->first, next; i; i = next) {
    struct mpiio_request request;
    next = request_at(i)->next_here;
    if (!take_over(i, wait->requests, &request) || result != 0) continue;
    const void *status = status_of(request.place, statuses, indices, num_statuses);
    note_over(&request, status ? mpi_status_bytes(status) : -1, t2);
  }
  note_wait(file, t1, t2);
  leave_layer(wait, file, t1, t2);
}

void mpiio_request_freed(const struct mpiio_wait *wait, int result, uint64_t t1, uint64_t t2) {
  struct mpiio_request request;
  if (!wait->first) {
    layer_communication_end(&wait->layer, t1, t2);
    return;
  }
  struct mpiio_file *file = mpiio_file_at(request_at(wait->first)->file);
  if (take_over(wait->first, wait->requests, &request) && result == 0 && record_lock(&file->lock)) {
    if (file->ext) file->ext->counters[MPIIO_EXT_NB_FREED]++;
    record_unlock(&file->lock);
  }
  leave_layer(wait, file, t1, t2);
}
