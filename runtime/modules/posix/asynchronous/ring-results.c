/* Counts the requests of io_uring rings when their results arrive. */
#include <errno.h>
#include <libc-statx.h>
#include <string.h>

#include "../../../intercept/stack.h"
#include "../account.h"
#include "ring-requests.h"

static int is_write(int operation) {
  return operation == URING_WRITEV || operation == URING_WRITE_FIXED || operation == URING_WRITE ||
         operation == URING_WRITEV_FIXED;
}

/* A completed request, and the result that the kernel reported: a negative errno if it failed. */
struct done {
  struct request request;
  int64_t result;
};

/* Counts an open, and assigns the file to its descriptor or registered slot. */
static void opened(struct ring *ring, const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  const char *path = ring_path(ring, request->path[0]);
  int dirfd = (int)request->fd, flags = (int)request->flags;
  int fd = (int)done->result;
  uint64_t t1 = request->submitted;
  if (fd < 0) {
    errno = -fd;
    if (path) posix_missed(dirfd, path, t1, t2);
    if (request->path[1] && request->path[1] != SLOT_ANY && request->before != SLOT_OPENS)
      ring_set_file(ring, request->path[1] - 1, request->before);
  } else if (request->path[1]) {
    uint32_t slot = request->path[1] == SLOT_ANY ? (uint32_t)fd : request->path[1] - 1;
    struct posix_file *file =
        path ? posix_opened_unseen(dirfd, path, flags, (mode_t)request->length, t1, t2) : NULL;
    ring_set_file(ring, slot, path ? (file ? file : FD_OTHER) : NULL);
  } else if (!path) {
    posix_opened(fd, fd, "", flags, (mode_t)request->length, t1, t2);
  } else if (posix_file_of(fd) || SYS2(SYS_fcntl, fd, F_GETFD) < 0) {
    /* The application used or closed the descriptor before the runtime saw the result. */
    posix_opened_unseen(dirfd, path, flags, (mode_t)request->length, t1, t2);
  } else {
    posix_opened(fd, dirfd, path, flags, (mode_t)request->length, t1, t2);
  }
}

/* Counts a request on paths. A path that could not be copied (path_keep) leaves it uncounted. */
static void named(struct ring *ring, const struct done *done, uint64_t t2) {
  enum { REMOVES_FOLDER = 0x200 /* AT_REMOVEDIR */ };
  const struct request *request = &done->request;
  const char *path = ring_path(ring, request->path[0]), *other = ring_path(ring, request->path[1]);
  int result = done->result < 0 ? -1 : 0, dirfd = (int)request->fd;
  uint64_t t1 = request->submitted;
  uint16_t mode = 0;
  errno = (int)-done->result;
  switch (request->kind) {
  case URING_STATX:
    ring_copy_in(&mode, (uint64_t)request->offset + offsetof(struct statx, stx_mode), sizeof(mode));
    if (path) posix_stated(result, dirfd, path, mode, t1, t2);
    break;
  case URING_UNLINKAT:
    if (!path) break;
    posix_path_event(result, dirfd, path,
                     request->flags & REMOVES_FOLDER ? POSIX_EXT_RMDIRS : POSIX_EXT_UNLINKS, t1,
                     t2);
    break;
  case URING_MKDIRAT:
    if (path) posix_path_event(result, dirfd, path, POSIX_EXT_MKDIRS, t1, t2);
    break;
  case URING_SYMLINKAT:
    if (other) posix_path_event(result, dirfd, other, POSIX_EXT_LINKS, t1, t2);
    break;
  case URING_LINKAT:
    if (other) posix_path_event(result, (int)request->length, other, POSIX_EXT_LINKS, t1, t2);
    break;
  default:
    if (path && other)
      posix_renamed(result, dirfd, path, (int)request->length, other, request->flags, t1, t2);
  }
}

/* Counts a splice as a read of one file and a write of the other. */
static void copied(const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  int64_t from = (int64_t)((uint64_t)request->flags << 32 | request->length);
  posix_copied(request->from, request->file, done->result, from == -1 ? POSIX_HERE : from,
               request->offset == -1 ? POSIX_HERE : request->offset, POSIX_EXT_SPLICES,
               request->submitted, t2);
}

/* Counts a close. If it failed, assigns the file again to the registered slot or descriptor. */
static void closed(struct ring *ring, const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  if (done->result == 0) {
    if (request->path[LATE]) ring_set_file(ring, request->path[0] - 1, FD_OTHER);
    posix_closed(request->file, request->submitted, t2);
  } else if (request->path[LATE]) {
    return; /* the close failed, so the slot is unchanged */
  } else if (request->path[0]) {
    ring_set_file(ring, request->path[0] - 1, request->file);
  } else {
    errno = (int)-done->result;
    posix_close_failed(request->file, (int)request->fd, request->submitted, t2);
  }
}

static void on_file(const struct done *done, uint64_t t2) {
  enum { DATA_ONLY = 1 };
  const struct request *request = &done->request;
  uint64_t t1 = request->submitted;
  if (done->result < 0) return;
  switch (request->kind) {
  case URING_FSYNC:
    posix_synced(request->file, request->flags & DATA_ONLY ? POSIX_FDSYNCS : POSIX_FSYNCS, t1, t2);
    break;
  case URING_SYNC_FILE_RANGE:
    posix_range_synced(request->file, t1, t2);
    break;
  case URING_FALLOCATE:
    posix_allocated(request->file, request->offset, t1, t2);
    break;
  case URING_FTRUNCATE:
    posix_ext(request->file, POSIX_EXT_TRUNCATES, 1, POSIX_EXT_F_META_TIME, t1, t2);
    break;
  case URING_FIXED_FD_INSTALL:
    posix_duplicated(request->file, (int)done->result, t1, t2);
    break;
  }
}

static void transferred(const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  posix_transferred(request->file, is_write(request->kind) ? POSIX_WRITE : POSIX_READ, done->result,
                    request->offset, request->memory, request->submitted, t2);
}

struct completion {
  struct ring *ring;
  const struct done *done;
  uint64_t t2;
};

static void completed_there(void *completion_) {
  const struct completion *it = completion_;
  const struct done *done = it->done;
  struct ring *ring = it->ring;
  uint64_t t2 = it->t2;
  switch (done->request.kind) {
  case URING_OPENAT:
  case URING_OPENAT2:
    opened(ring, done, t2);
    ring_path_give(ring, done->request.path[0]);
    break;
  case URING_STATX:
  case URING_UNLINKAT:
  case URING_MKDIRAT:
  case URING_SYMLINKAT:
  case URING_LINKAT:
  case URING_RENAMEAT:
    named(ring, done, t2);
    ring_path_give(ring, done->request.path[0]);
    ring_path_give(ring, done->request.path[1]);
    break;
  case URING_SPLICE:
    copied(done, t2);
    break;
  case URING_CLOSE:
    closed(ring, done, t2);
    break;
  default:
    on_file(done, t2);
  }
}

/* Returns the file that an earlier request of the same chain opened in a slot (counted from 1), and
 * counts the request as submitted for it; NULL if the file is not recorded. */
static struct posix_file *opened_before(struct ring *ring, uint32_t slot) {
  struct posix_file *file = ring_file(ring, slot - 1);
  if (!file || file == SLOT_OPENS) ring_unseen(1);
  file = fd_followed(file);
  if (file) posix_ext(file, POSIX_EXT_URING_SUBMITS, 1, -1, 0, 0);
  return file;
}

/* Sets the file of a request whose file an earlier request of its chain opened, because the file
 * becomes known only now. A request without a recorded file becomes KIND_OTHER. Does nothing for
 * other requests. */
static void know_late(struct ring *ring, struct request *request) {
  switch (request->kind) {
  case URING_OPENAT:
  case URING_OPENAT2:
  case URING_STATX:
  case URING_UNLINKAT:
  case URING_MKDIRAT:
  case URING_SYMLINKAT:
  case URING_LINKAT:
  case URING_RENAMEAT:
    return;
  }
  if (request->kind == URING_SPLICE && request->path[0])
    request->from = opened_before(ring, request->path[0]);
  if (!request->path[LATE]) return;
  request->file = opened_before(ring, request->path[LATE]);
  if (!request->file && request->kind != URING_SPLICE) request->kind = KIND_OTHER;
}

/* Counts a completed request. t1, t2: ticks before and after the call that found the result. */
static void completed(struct ring *ring, struct done *done, uint64_t t1, uint64_t t2) {
  if (UNLIKELY(done->request.path[0] || done->request.path[LATE])) know_late(ring, &done->request);
  if (done->request.kind == KIND_OTHER) return;
  if (LIKELY(ring_is_transfer(done->request.kind)))
    transferred(done, t2);
  else
    stack_run_anyway(completed_there, &(struct completion){ring, done, t2});
  if (t1 > done->request.submitted) layers_began_before(t1 - done->request.submitted);
}

/* Forgets all requests: the queue has overwritten results, so the requests of these results cannot
 * be distinguished from requests in progress. tail: the queue's tail, from which on results are
 * read next. Returns the number of forgotten requests on files. The caller holds the ring's
 * lock. */
static uint32_t skip_lost(struct ring *ring, uint32_t tail) {
  uint32_t unseen = ring->requests.open - ring->others;
  ring->others = 0;
  ring->results_seen = tail;
  requests_forget(&ring->requests);
  ring->paths_used = ring->free_path = 0;
  return unseen;
}

/* Finds the next result of a request on a file, skips all other results, and stores the completed
 * request in *done. Returns 1, or 0 if there is none. Adds requests whose results were overwritten
 * to *unseen. */
static int take_done(struct ring *ring, struct done *done, uint32_t *unseen) {
  int n = 0;
  if (!record_lock(&ring->requests.lock)) return 0;
  uint32_t tail = ring->memory ? ring_word(ring, ring->results_tail_at) : ring->results_seen;
  size_t size = sizeof(struct uring_result) * (ring->flags & RING_LARGE_RESULTS ? 2 : 1);
  while (n == 0 && ring->results_seen != tail) {
    struct uring_result result;
    const char *place =
        ring->memory + ring->results_at + (ring->results_seen & (ring->most_results - 1)) * size;
    memcpy(&result, place, sizeof(result));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint32_t now = ring_word(ring, ring->results_tail_at);
    if (now - ring->results_seen > ring->most_results) { /* some results were overwritten */
      *unseen += skip_lost(ring, now);
      break;
    }
    ring->results_seen++;
    if (result.flags & (RESULT_NOTICE | RESULT_MORE))
      continue; /* never a result of a request on a file */
    const struct request *request = requests_find(&ring->requests, result.user_data);
    if (!request) continue;
    done->result = result.result;
    requests_take(&ring->requests, request, &done->request);
    if (done->request.kind == KIND_OTHER)
      ring->others--;
    else
      n = 1;
  }
  record_unlock(&ring->requests.lock);
  return n;
}

void ring_look(struct ring *ring, uint64_t t1, uint64_t t2) {
  struct done done;
  uint32_t unseen = 0;
  int saved = errno;
  while (take_done(ring, &done, &unseen))
    completed(ring, &done, t1, t2);
  ring_unseen(unseen);
  errno = saved;
}

struct look {
  struct ring *ring;
  uint64_t t1, t2;
};

static void look_there(void *look_) {
  const struct look *look = look_;
  ring_look(look->ring, look->t1, look->t2);
}

void ring_look_there(struct ring *ring, uint64_t t1, uint64_t t2) {
  stack_run_anyway(look_there, &(struct look){ring, t1, t2});
}

static void look_at_all(void *nothing) {
  (void)nothing;
  uint32_t used = __atomic_load_n(&rings_state.used, __ATOMIC_ACQUIRE);
  uint64_t now = used ? ticks_now() : 0;
  for (uint32_t i = 0; i < used; i++) {
    struct ring *ring = segments_at(&rings_state.rings, i);
    if (__atomic_load_n(&ring->fd, __ATOMIC_ACQUIRE) < 0 || !ring->memory) continue;
    if (ring->flags & RING_POLLED) ring_submits(ring, RING_ALL);
    ring_look(ring, now, now);
  }
}

void rings_look(void) {
  if (rings_state.used) stack_run_anyway(look_at_all, NULL);
}

static void look_last(void *nothing) {
  look_at_all(nothing);
  for (uint32_t i = 0; i < rings_state.used; i++) {
    struct ring *ring = segments_at(&rings_state.rings, i);
    uint32_t unseen = 0;
    if (__atomic_load_n(&ring->fd, __ATOMIC_ACQUIRE) < 0) continue;
    if (record_lock(&ring->requests.lock)) {
      unseen = ring_missed(ring);
      record_unlock(&ring->requests.lock);
    }
    ring_unseen(unseen);
  }
}

/* Called when the process exits: counts the completed requests of all rings, and the number of
 * requests that the runtime did not see. */
void rings_ending(void) {
  if (rings_state.used) stack_run_anyway(look_last, NULL);
}
