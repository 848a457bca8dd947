/* Asynchronous transfers (AIO). Each is counted when the application fetches its result; its time
 * begins with the submission. */
#include "../account.h"
#include "../posix.h"

#include <errno.h>

#include "requests.h"

/* Stores the time of submission of the request at this address, in ticks. If the result of an
 * earlier request at the address was never fetched, replaces that request. */
static void remember(const void *address, uint64_t ticks) {
  struct requests *requests = posix_state.aio;
  uint64_t key = (uintptr_t)address;
  if (!record_lock(&requests->lock)) return;
  struct request *request = requests_find(requests, key);
  if (!request) request = requests_add(requests, key);
  if (request) request->submitted = ticks;
  record_unlock(&requests->lock);
}

/* Removes the request at this address. Stores its time of submission, in ticks, and returns 1.
 * Returns 0, and leaves *ticks as it is, if no request is stored or the lock is not available. */
static int recall(const void *address, uint64_t *ticks) {
  struct requests *requests = posix_state.aio;
  struct request request;
  int known = 0;
  if (!record_lock(&requests->lock)) return 0;
  const struct request *found = requests_find(requests, (uintptr_t)address);
  if (found) {
    requests_take(requests, found, &request);
    *ticks = request.submitted;
    known = 1;
  }
  record_unlock(&requests->lock);
  return known;
}

void aio_submitted(struct posix_file *file, const struct aiocb *cb, uint64_t t1) {
  posix_ext(file, POSIX_EXT_AIO_SUBMITS, 1, -1, 0, 0);
  remember(cb, t1);
}

void aio_returned(struct posix_file *file, const struct aiocb *cb, int64_t result, uint64_t t1,
                  uint64_t t2) {
  uint64_t start = t1;
  int is_transfer = cb->aio_lio_opcode == LIO_WRITE || cb->aio_lio_opcode == LIO_READ;
  /* An unknown request is an fsync, or its result was fetched before: it is not counted. But if the
   * table was full, it may be a transfer that was not stored; its time then begins with this
   * call. */
  if (!recall(cb, &start) && !(is_transfer && posix_state.aio->was_full)) return;
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

/* Operation codes of the kernel's AIO interface. */
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

/* Counts a request of libaio that completed with this result (bytes, or a negative errno). */
static void completed(const struct kaio_request *request, int64_t result, uint64_t t1,
                      uint64_t t2) {
  struct posix_file *file = posix_file_of(request->fd);
  if (!file || result < 0) return;
  uint64_t start = t1;
  recall(request, &start);
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
  uint64_t start;
  recall(request, &start);
  aio_waited(posix_file_of(request->fd), t1, t2);
}
