/* Asynchronous transfers: booked when their result is known, with the time
 * from submission to that moment. */
#include "account.h"
#include "posix.h"

#include <errno.h>

static uint32_t slot_of(const void *request) {
  return (uint32_t)(((uintptr_t)request >> 4) * 2654435761u) % AIO_PENDING;
}

/* Once the table is full, further requests are timed from their end. */
static void remember(const void *request, uint64_t ticks) {
  struct aio_pending *pending = posix_state.pending;
  uint32_t start = slot_of(request);
  if (!record_lock(&pending->lock)) return;
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t at = (start + i) % AIO_PENDING;
    if (pending->slot[at].request && pending->slot[at].request != request) continue;
    pending->slot[at].request = request;
    pending->slot[at].submitted = ticks;
    break;
  }
  record_unlock(&pending->lock);
}

static uint64_t recall(const void *request, uint64_t otherwise) {
  struct aio_pending *pending = posix_state.pending;
  uint32_t start = slot_of(request);
  uint64_t ticks = otherwise;
  if (!record_lock(&pending->lock)) return ticks;
  for (uint32_t i = 0; i < 16; i++) {
    uint32_t at = (start + i) % AIO_PENDING;
    if (pending->slot[at].request != request) continue;
    pending->slot[at].request = NULL;
    ticks = pending->slot[at].submitted;
    break;
  }
  record_unlock(&pending->lock);
  return ticks;
}

void aio_submitted(struct posix_file *file, const struct aiocb *cb, uint64_t t1) {
  posix_ext(file, POSIX_EXT_AIO_SUBMITS, 1, -1, 0, 0);
  remember(cb, t1);
}

void aio_returned(struct posix_file *file, const struct aiocb *cb, int64_t result, uint64_t t1,
                  uint64_t t2) {
  uint64_t start = recall(cb, t1);
  if (start == t1) return; /* fsync, or fetched before */
  enum posix_operation operation = cb->aio_lio_opcode == LIO_WRITE ? POSIX_WRITE : POSIX_READ;
  posix_transferred(file, operation, result, cb->aio_offset, (const void *)cb->aio_buf, start, t2);
  if (result >= 0) layers_began_before(t1 - start);
}

void aio_waited(struct posix_file *file, uint64_t t1, uint64_t t2) {
  if (file) posix_ext(file, POSIX_EXT_AIO_WAITS, 1, POSIX_EXT_F_AIO_WAIT_TIME, t1, t2);
}

struct posix_file *aio_first_file(const struct aiocb *const *list, int n) {
  for (int i = 0; i < n; i++) {
    struct posix_file *file = list[i] ? posix_file_behind(list[i]->aio_fildes) : NULL;
    if (file) return file;
  }
  return NULL;
}

void aio_list_submitted(struct aiocb *const *list, int n, int result, uint64_t t1) {
  if (result != 0 && errno != EIO && errno != EAGAIN && errno != EINTR) return;
  for (int i = 0; i < n; i++) {
    if (!list[i] || (list[i]->aio_lio_opcode != LIO_READ && list[i]->aio_lio_opcode != LIO_WRITE))
      continue;
    struct posix_file *file = posix_file_behind(list[i]->aio_fildes);
    if (file) aio_submitted(file, list[i], t1);
  }
}

/* Operation codes of the kernel's interface. */
enum {
  KAIO_READ = 0,
  KAIO_WRITE = 1,
  KAIO_FSYNC = 2,
  KAIO_FDSYNC = 3,
  KAIO_READV = 7,
  KAIO_WRITEV = 8
};

void kaio_submitted(struct kaio_request **list, int n, uint64_t t1) {
  for (int i = 0; i < n; i++) {
    struct posix_file *file = posix_file_behind(list[i]->fd);
    if (!file) continue;
    posix_ext(file, POSIX_EXT_KAIO_SUBMITS, 1, -1, 0, 0);
    remember(list[i], t1);
  }
}

static void completed(const struct kaio_request *request, int64_t result, uint64_t t1,
                      uint64_t t2) {
  struct posix_file *file = posix_file_of(request->fd);
  if (!file || result < 0) return;
  uint64_t start = recall(request, t1);
  enum posix_operation operation = POSIX_READ;
  switch (request->opcode) {
  case KAIO_WRITE:
  case KAIO_WRITEV:
    operation = POSIX_WRITE; /* fall through */
  case KAIO_READ:
  case KAIO_READV:
    if (request->opcode == KAIO_READ || request->opcode == KAIO_WRITE)
      posix_transferred(file, operation, result, request->offset, request->buffer, start, t2);
    else
      posix_vector(file, operation, result, request->offset, request->buffer, (int)request->bytes,
                   start, t2);
    layers_began_before(t1 - start);
    break;
  case KAIO_FSYNC:
    posix_synced(file, POSIX_FSYNCS, start, t2);
    layers_began_before(t1 - start);
    break;
  case KAIO_FDSYNC:
    posix_synced(file, POSIX_FDSYNCS, start, t2);
    layers_began_before(t1 - start);
    break;
  }
}

void kaio_completed(const struct kaio_event *events, int n, uint64_t t1, uint64_t t2) {
  for (int i = 0; i < n; i++)
    completed(events[i].request, events[i].result, t1, t2);
}

void kaio_cancelled(const struct kaio_request *request, uint64_t t1, uint64_t t2) {
  recall(request, t1);
  aio_waited(posix_file_of(request->fd), t1, t2);
}
