/* What goes through rings: an entry is understood when it is submitted, since the program may
 * use its place again at once, and counts when its result is there. */
#include "rings.h"

#include <errno.h>
#include <libc-statx.h>
#include <linux/openat2.h>
#include <string.h>

#include "../../intercept/stack.h"
#include "account.h"

enum { AT_ONCE = 1, PATH_PIECE = 1024, PAGE = 4096 }; /* little of the caller's stack */
enum { KIND_OTHER = -1 };                             /* of a request that is about no file */

static uint32_t word_at(const struct ring *ring, uint32_t offset) {
  return __atomic_load_n((const uint32_t *)(const void *)(ring->memory + offset), __ATOMIC_ACQUIRE);
}

/* --- the program's memory, which may not be there ------------------------------------- */

/* How many bytes could be copied. */
static long copy_in(void *to, uint64_t from, size_t n) {
  struct iovec here = {to, n}, there[2] = {{(void *)(uintptr_t)from, n}, {NULL, 0}};
  size_t in_page = PAGE - from % PAGE;
  if (n > in_page) {
    there[0].iov_len = in_page;
    there[1] = (struct iovec){(char *)there[0].iov_base + in_page, n - in_page};
  }
  return sys_call(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)there, 2, 0);
}

static char *path_at(const struct ring *ring, uint32_t number) {
  return number ? segments_at(&ring->paths, number) : NULL;
}

/* A place for a path; 0: no memory. */
static uint32_t path_take(struct ring *ring) {
  if (!record_lock(&ring->requests.lock)) return 0;
  if (ring->paths.item_size == 0) segments_prepare(&ring->paths, PATH_PIECE, SEGMENTS_PAGE);
  uint32_t number = ring->free_path;
  if (number) {
    memcpy(&ring->free_path, path_at(ring, number), sizeof(ring->free_path));
  } else if (segments_have(&ring->paths, ring->paths_used + 1) == 0) {
    number = ++ring->paths_used;
  }
  record_unlock(&ring->requests.lock);
  return number;
}

static void path_give(struct ring *ring, uint32_t number) {
  if (!number || !record_lock(&ring->requests.lock)) return;
  memcpy(path_at(ring, number), &ring->free_path, sizeof(ring->free_path));
  ring->free_path = number;
  record_unlock(&ring->requests.lock);
}

/* A copy of a path, since the program's own may be gone when the result comes; 0: there is
 * none, it is too long, or the kernel does not let us read it. */
static uint32_t path_keep(struct ring *ring, uint64_t address) {
  uint32_t number = path_take(ring);
  if (!number) return 0;
  long n = copy_in(path_at(ring, number), address, PATH_PIECE);
  if (n > 0 && memchr(path_at(ring, number), '\0', (size_t)n)) return number;
  path_give(ring, number);
  return 0;
}

/* --- submission ----------------------------------------------------------------------- */

static int is_transfer(int operation) {
  switch (operation) {
  case URING_READV:
  case URING_READ_FIXED:
  case URING_READ:
  case URING_READV_FIXED:
  case URING_WRITEV:
  case URING_WRITE_FIXED:
  case URING_WRITE:
  case URING_WRITEV_FIXED:
    return 1;
  default:
    return 0;
  }
}

static int is_write(int operation) {
  return operation == URING_WRITEV || operation == URING_WRITE_FIXED || operation == URING_WRITE ||
         operation == URING_WRITEV_FIXED;
}

/* The file of a descriptor, or of a registered one; NULL: not followed. */
static struct posix_file *file_of(const struct ring *ring, int registered, uint32_t number) {
  struct posix_file *file;
  if (!registered) return (int)number >= 0 ? posix_file_behind((int)number) : NULL;
  file = ring_file(ring, number);
  if (!file) ring_unseen(1);
  return fd_followed(file);
}

static void understand_transfer(const struct uring_entry *entry, struct posix_file *file,
                                struct request *request) {
  enum { APPENDS = 0x10 /* RWF_APPEND */ };
  request->file = file;
  request->offset = (int64_t)entry->offset == -1 || entry->operation_flags & APPENDS
                        ? POSIX_HERE
                        : (int64_t)entry->offset;
  int is_vector = entry->operation == URING_READV || entry->operation == URING_WRITEV ||
                  entry->operation == URING_READV_FIXED || entry->operation == URING_WRITEV_FIXED;
  request->memory = is_vector ? NULL : (const void *)(uintptr_t)entry->address;
  if (!request->file) request->kind = KIND_OTHER;
}

/* What descriptor it will no more be, from here on: another thread may get the number before
 * the result is seen. */
static void understand_close(struct ring *ring, const struct uring_entry *entry,
                             struct request *request) {
  request->fd = entry->fd;
  request->path[0] = entry->slot;
  if (entry->slot) {
    request->file = fd_followed(ring_file(ring, entry->slot - 1));
    ring_set_file(ring, entry->slot - 1, FD_OTHER);
  } else if (entry->fd >= 0) {
    request->file = fd_release(entry->fd);
  }
}

static void understand_open(struct ring *ring, const struct uring_entry *entry,
                            struct request *request) {
  request->fd = entry->fd;
  request->path[0] = path_keep(ring, entry->address);
  request->path[1] = entry->slot;
  request->length = entry->length; /* the mode */
  request->flags = entry->operation_flags;
  if (entry->operation == URING_OPENAT) return;
  struct open_how how = {0};
  copy_in(&how, entry->offset, sizeof(how));
  request->flags = (uint32_t)how.flags;
  request->length = (uint32_t)how.mode;
}

/* Slots that change at once: entries behind this one mean the new files. */
enum { SLOTS_AT_ONCE = 8 };
static void understand_update(struct ring *ring, const struct uring_entry *entry) {
  int fds[SLOTS_AT_ONCE];
  for (uint32_t done = 0; done < entry->length && entry->offset != SLOT_ANY;) {
    uint32_t n = entry->length - done < SLOTS_AT_ONCE ? entry->length - done : SLOTS_AT_ONCE;
    long size = (long)(n * sizeof(*fds));
    if (copy_in(fds, entry->address + done * sizeof(*fds), (size_t)size) != size) return;
    ring_files(ring, (uint32_t)entry->offset + done, fds, n);
    done += n;
  }
}

static void understand(struct ring *ring, const struct uring_entry *entry,
                       struct request *request) {
  enum { FROM_FIXED = 1u << 31 };
  int is_fixed = entry->flags & ENTRY_FIXED_FILE;
  request->kind = entry->operation;
  request->offset = (int64_t)entry->offset;
  if (is_transfer(entry->operation)) {
    understand_transfer(entry, file_of(ring, entry->flags & ENTRY_FIXED_FILE, (uint32_t)entry->fd),
                        request);
    return;
  }
  switch (entry->operation) {
  case URING_FSYNC:
  case URING_SYNC_FILE_RANGE:
  case URING_FALLOCATE:
  case URING_FTRUNCATE:
    request->file = file_of(ring, is_fixed, (uint32_t)entry->fd);
    request->flags = entry->operation_flags;
    if (entry->operation == URING_FALLOCATE) request->offset = (int64_t)entry->address;
    if (!request->file) request->kind = KIND_OTHER;
    break;
  case URING_SPLICE:
    request->file = file_of(ring, is_fixed, (uint32_t)entry->fd);
    request->from = file_of(ring, (entry->operation_flags & FROM_FIXED) != 0, entry->slot);
    break;
  case URING_FIXED_FD_INSTALL:
    request->file = fd_followed(ring_file(ring, (uint32_t)entry->fd));
    break;
  case URING_CLOSE:
    understand_close(ring, entry, request);
    if (!request->file) request->kind = KIND_OTHER;
    break;
  case URING_OPENAT:
  case URING_OPENAT2:
    understand_open(ring, entry, request);
    break;
  case URING_RENAMEAT:
  case URING_SYMLINKAT:
  case URING_LINKAT:
    request->path[1] = path_keep(ring, entry->offset);
    request->length = entry->length; /* the second folder; of a symbolic link there is one */
    __attribute__((fallthrough));
  case URING_STATX:
  case URING_UNLINKAT:
  case URING_MKDIRAT:
    request->fd = entry->fd;
    request->path[0] = path_keep(ring, entry->address);
    request->flags = entry->operation_flags;
    break;
  case URING_FILES_UPDATE:
    understand_update(ring, entry);
    __attribute__((fallthrough));
  default:
    request->kind = KIND_OTHER;
  }
}

/* The file of the usual request, a transfer of a file that is known; NULL: it is another, which
 * takes more of a stack than a coroutine may have. */
static struct posix_file *usual_file(const struct ring *ring, const struct uring_entry *entry) {
  if (!is_transfer(entry->operation) || entry->fd < 0) return NULL;
  if (!(entry->flags & ENTRY_FIXED_FILE)) return posix_file_of(entry->fd);
  return fd_followed(ring_file(ring, (uint32_t)entry->fd));
}

struct understanding {
  struct ring *ring;
  const struct uring_entry *entry;
  struct request *request;
};

static void understand_there(void *understanding_) {
  const struct understanding *it = understanding_;
  understand(it->ring, it->entry, it->request);
}

/* A request about no file is remembered only where its result could be taken for another's. */
static int is_needed(const struct ring *ring, const struct request *request, uint64_t user_data) {
  return request->kind != KIND_OTHER || user_data == 0 ||
         requests_find((struct requests *)(uintptr_t)&ring->requests, user_data) != NULL;
}

static void submitted(struct ring *ring, const struct uring_entry *entry, uint64_t t1) {
  struct request request = {.submitted = t1};
  struct posix_file *file = usual_file(ring, entry);
  if (LIKELY(file != NULL)) {
    request.kind = entry->operation;
    understand_transfer(entry, file, &request);
  } else {
    stack_run_anyway(understand_there, &(struct understanding){ring, entry, &request});
  }
  if (request.file) posix_ext(request.file, POSIX_EXT_URING_SUBMITS, 1, -1, 0, 0);
  if (entry->flags & ENTRY_NO_RESULT) { /* whether it succeeded is known to nobody */
    if (request.kind == URING_CLOSE) posix_closed(request.file, t1, t1);
    if (request.kind != URING_CLOSE && request.kind != KIND_OTHER) ring_unseen(1);
    return;
  }
  if (!record_lock(&ring->requests.lock)) return;
  struct request *place = NULL;
  int needed = is_needed(ring, &request, entry->user_data);
  if (needed) place = requests_add(&ring->requests, entry->user_data);
  if (place) {
    request.key = place->key;
    request.next = place->next;
    *place = request;
  }
  record_unlock(&ring->requests.lock);
  if (needed && !place) ring_unseen(1);
}

uint32_t ring_missed(struct ring *ring) {
  if (!ring->memory) return 0;
  uint32_t first = word_at(ring, ring->flags & RING_POLLED ? ring->tail_at : ring->head_at);
  int32_t gone = (int32_t)(first - ring->seen);
  if (ring->flags & RING_POLLED) gone -= (int32_t)ring->most;
  if (gone <= 0) return 0;
  ring->seen += (uint32_t)gone;
  return (uint32_t)gone;
}

/* Which entries are meant: those up to liburing's own tail, or up to that of the ring, but no
 * more than `most`. */
struct range {
  const struct uring *library; /* NULL: the ring's tail */
  long most;                   /* RING_ALL: all */
};

/* With the ring's lock. */
static uint32_t end_of(const struct ring *ring, const struct range *range) {
  if (range->library) return range->library->submission.end;
  uint32_t tail = word_at(ring, ring->tail_at), head = word_at(ring, ring->head_at);
  int limited = range->most >= 0 && !(ring->flags & RING_POLLED);
  return limited && tail - head > range->most ? head + (uint32_t)range->most : tail;
}

/* Copies entries that were not seen before: how many.  Where liburing fills the array by
 * itself, entry and place have the same number. */
static int entries_here(struct ring *ring, const struct range *range, struct uring_entry *copy,
                        uint32_t *unseen) {
  int n = 0;
  if (!record_lock(&ring->requests.lock)) return 0;
  if (ring->memory) {
    uint32_t end = end_of(ring, range);
    size_t size = ring->entries_size / ring->most;
    *unseen += ring_missed(ring);
    for (; n < AT_ONCE && (int32_t)(end - ring->seen) > 0; ring->seen++) {
      uint32_t place = ring->seen & (ring->most - 1);
      if (ring->array_at && !range->library)
        place = word_at(ring, ring->array_at + place * (uint32_t)sizeof(uint32_t));
      if (place >= ring->most) continue; /* the kernel drops it */
      memcpy(&copy[n++], ring->entries + place * size, sizeof(*copy));
    }
  }
  record_unlock(&ring->requests.lock);
  return n;
}

static void submit(struct ring *ring, const struct range *range) {
  struct uring_entry entries[AT_ONCE];
  uint64_t t1 = ticks_now();
  uint32_t unseen = 0;
  int saved = errno, n;
  while ((n = entries_here(ring, range, entries, &unseen)) > 0)
    for (int i = 0; i < n; i++)
      submitted(ring, &entries[i], t1);
  ring_unseen(unseen);
  errno = saved;
}

void ring_submits(struct ring *ring, long n) {
  submit(ring, &(struct range){NULL, n});
}

void ring_submits_by_library(struct ring *ring, const struct uring *library) {
  submit(ring, &(struct range){library, RING_ALL});
}

/* --- completion ----------------------------------------------------------------------- */

struct done {
  struct request request;
  int64_t result;
};

static void opened(struct ring *ring, const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  const char *path = path_at(ring, request->path[0]);
  int dirfd = (int)request->fd, flags = (int)request->flags;
  int fd = (int)done->result;
  uint64_t t1 = request->submitted;
  if (fd < 0) {
    errno = -fd;
    if (path) posix_missed(dirfd, path, t1, t2);
  } else if (request->path[1]) {
    uint32_t slot = request->path[1] == SLOT_ANY ? (uint32_t)fd : request->path[1] - 1;
    struct posix_file *file =
        path ? posix_opened_unseen(dirfd, path, flags, (mode_t)request->length, t1, t2) : NULL;
    ring_set_file(ring, slot, path ? (file ? file : FD_OTHER) : NULL);
  } else if (!path) {
    posix_opened(fd, fd, "", flags, (mode_t)request->length, t1, t2);
  } else if (posix_file_of(fd) || SYS2(SYS_fcntl, fd, F_GETFD) < 0) {
    /* The program has used the number before we saw that it was there, or closed it. */
    posix_opened_unseen(dirfd, path, flags, (mode_t)request->length, t1, t2);
  } else {
    posix_opened(fd, dirfd, path, flags, (mode_t)request->length, t1, t2);
  }
}

static void named(struct ring *ring, const struct done *done, uint64_t t2) {
  enum { REMOVES_FOLDER = 0x200 /* AT_REMOVEDIR */ };
  const struct request *request = &done->request;
  const char *path = path_at(ring, request->path[0]), *other = path_at(ring, request->path[1]);
  int result = done->result < 0 ? -1 : 0, dirfd = (int)request->fd;
  uint64_t t1 = request->submitted;
  uint16_t mode = 0;
  errno = (int)-done->result;
  switch (request->kind) {
  case URING_STATX:
    copy_in(&mode, (uint64_t)request->offset + offsetof(struct statx, stx_mode), sizeof(mode));
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

static void copied(const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  int64_t to = request->offset == -1 ? POSIX_HERE : request->offset;
  posix_copied(request->from, request->file, done->result, POSIX_HERE, to, POSIX_EXT_SPLICES,
               request->submitted, t2);
}

static void closed(struct ring *ring, const struct done *done, uint64_t t2) {
  const struct request *request = &done->request;
  if (done->result == 0) {
    posix_closed(request->file, request->submitted, t2);
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
    path_give(ring, done->request.path[0]);
    break;
  case URING_STATX:
  case URING_UNLINKAT:
  case URING_MKDIRAT:
  case URING_SYMLINKAT:
  case URING_LINKAT:
  case URING_RENAMEAT:
    named(ring, done, t2);
    path_give(ring, done->request.path[0]);
    path_give(ring, done->request.path[1]);
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

static void completed(struct ring *ring, const struct done *done, uint64_t t1, uint64_t t2) {
  if (done->request.kind == KIND_OTHER) return;
  if (LIKELY(is_transfer(done->request.kind)))
    transferred(done, t2);
  else
    stack_run_anyway(completed_there, &(struct completion){ring, done, t2});
  if (t1 > done->request.submitted) layers_began_before(t1 - done->request.submitted);
}

/* With the ring's lock: results that the queue does not hold any more are of requests that
 * cannot be told from those which are under way. */
static uint32_t skip_lost(struct ring *ring, uint32_t tail) {
  uint32_t unseen = ring->requests.open;
  ring->results_seen = tail;
  requests_forget(&ring->requests);
  ring->paths_used = ring->free_path = 0;
  return unseen;
}

/* Takes out the next request that is over; 0: none.  Results of none of ours are passed. */
static int take_done(struct ring *ring, struct done *done, uint32_t *unseen) {
  int n = 0;
  if (!record_lock(&ring->requests.lock)) return 0;
  uint32_t tail = ring->memory ? word_at(ring, ring->results_tail_at) : ring->results_seen;
  size_t size = sizeof(struct uring_result) * (ring->flags & RING_LARGE_RESULTS ? 2 : 1);
  while (n == 0 && ring->results_seen != tail) {
    struct uring_result result;
    const char *place =
        ring->memory + ring->results_at + (ring->results_seen & (ring->most_results - 1)) * size;
    memcpy(&result, place, sizeof(result));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    uint32_t now = word_at(ring, ring->results_tail_at);
    if (now - ring->results_seen > ring->most_results) { /* overwritten */
      *unseen += skip_lost(ring, now);
      break;
    }
    ring->results_seen++;
    if (result.flags & RESULT_NOTICE) continue;
    const struct request *request = requests_find(&ring->requests, result.user_data);
    if (!request) continue;
    done->result = result.result;
    if (result.flags & RESULT_MORE)
      done->request = *request;
    else
      requests_take(&ring->requests, request, &done->request);
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

/* The process ends: what nobody saw is known now. */
void rings_ending(void) {
  if (rings_state.used) stack_run_anyway(look_last, NULL);
}
