/* Reads the entries that are submitted to io_uring rings. They are read at submission, because the
 * application may reuse their slots at once. */
#include "ring-requests.h"

#include <errno.h>
#include <linux/openat2.h>
#include <string.h>

#include "../../../intercept/stack.h"
#include "../account.h"

enum {
  AT_ONCE = 1,       /* entries that are copied at once; few, to save the caller's stack */
  PATH_PIECE = 1024, /* bytes of the copy of a path */
  PAGE = 4096
};

/* --- the application's memory, which may be unmapped ----------------------------------- */

long ring_copy_in(void *to, uint64_t from, size_t n) {
  struct iovec here = {to, n}, there[2] = {{(void *)(uintptr_t)from, n}, {NULL, 0}};
  size_t in_page = PAGE - from % PAGE;
  if (n > in_page) {
    there[0].iov_len = in_page;
    there[1] = (struct iovec){(char *)there[0].iov_base + in_page, n - in_page};
  }
  return sys_call(SYS_process_vm_readv, sys_getpid(), (long)&here, 1, (long)there, 2, 0);
}

char *ring_path(const struct ring *ring, uint32_t number) {
  return number ? segments_at(&ring->paths, number) : NULL;
}

/* Takes a free slot for the copy of a path and returns its number, from 1; 0 if out of memory, or
 * if the lock of the requests cannot be taken. */
static uint32_t path_take(struct ring *ring) {
  if (!record_lock(&ring->requests.lock)) return 0;
  if (ring->paths.item_size == 0) segments_prepare(&ring->paths, PATH_PIECE, SEGMENTS_PAGE);
  uint32_t number = ring->free_path;
  if (number) {
    memcpy(&ring->free_path, ring_path(ring, number), sizeof(ring->free_path));
  } else if (segments_have(&ring->paths, ring->paths_used + 1) == 0) {
    number = ++ring->paths_used;
  }
  record_unlock(&ring->requests.lock);
  return number;
}

void ring_path_give(struct ring *ring, uint32_t number) {
  if (!number || !record_lock(&ring->requests.lock)) return;
  memcpy(ring_path(ring, number), &ring->free_path, sizeof(ring->free_path));
  ring->free_path = number;
  record_unlock(&ring->requests.lock);
}

/* Copies a path at an address of the application, which may free it before the result arrives.
 * Returns the number of the copy, for ring_path; 0 if there is no path, if it has 1024 bytes or
 * more, if the runtime may not read it, or if there is no slot (path_take). */
static uint32_t path_keep(struct ring *ring, uint64_t address) {
  uint32_t number = path_take(ring);
  if (!number) return 0;
  long n = ring_copy_in(ring_path(ring, number), address, PATH_PIECE);
  if (n > 0 && memchr(ring_path(ring, number), '\0', (size_t)n)) return number;
  ring_path_give(ring, number);
  return 0;
}

/* --- submission ----------------------------------------------------------------------- */

/* Returns the file of a descriptor or, if registered is not 0, of the registered slot `number`;
 * NULL if it is not recorded. Sets *late to the slot, counted from 1, if the file becomes known
 * only when an earlier request of the chain completes; otherwise leaves *late as it is. */
static struct posix_file *file_of(const struct ring *ring, int registered, uint32_t number,
                                  uint32_t *late) {
  struct posix_file *file;
  if (!registered) return (int)number >= 0 ? posix_file_behind((int)number) : NULL;
  file = ring_file(ring, number);
  if (file == SLOT_OPENS) *late = number + 1;
  if (!file) ring_unseen(1);
  return fd_followed(file);
}

/* Fills in the request of a read or write. file: of the entry; NULL: not recorded, or not known
 * yet. */
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
  if (!request->file && !request->path[LATE]) request->kind = KIND_OTHER;
}

/* Stores the file that a request closes. Releases the descriptor or slot now, at submission,
 * because another thread may get the same number before the result is seen. But if an earlier
 * request is to open a file in the slot, the file is looked up at the result. */
static void understand_close(struct ring *ring, const struct uring_entry *entry,
                             struct request *request) {
  request->fd = entry->fd;
  request->path[0] = entry->slot;
  if (entry->slot && ring_file(ring, entry->slot - 1) == SLOT_OPENS) {
    request->path[LATE] = entry->slot;
  } else if (entry->slot) {
    request->file = fd_followed(ring_file(ring, entry->slot - 1));
    ring_set_file(ring, entry->slot - 1, FD_OTHER);
  } else if (entry->fd >= 0) {
    request->file = fd_release(entry->fd);
  }
}

/* Fills in the request of an open. If it opens a registered slot, marks the slot (SLOT_OPENS). */
static void understand_open(struct ring *ring, const struct uring_entry *entry,
                            struct request *request) {
  request->fd = entry->fd;
  request->path[0] = path_keep(ring, entry->address);
  request->path[1] = entry->slot;
  request->length = entry->length; /* the mode of the file */
  request->flags = entry->operation_flags;
  if (entry->slot && entry->slot != SLOT_ANY) {
    request->before = ring_file(ring, entry->slot - 1);
    /* If the request has no result, the opened file stays unknown. */
    ring_set_file(ring, entry->slot - 1, entry->flags & ENTRY_NO_RESULT ? NULL : SLOT_OPENS);
  }
  if (entry->operation == URING_OPENAT) return;
  struct open_how how = {0};
  ring_copy_in(&how, entry->offset, sizeof(how));
  request->flags = (uint32_t)how.flags;
  request->length = (uint32_t)how.mode;
}

enum { SLOTS_AT_ONCE = 8 /* copied from the application */ };
/* Registers, at submission, the files of an entry that updates registered files, because later
 * entries refer to them. */
static void understand_update(struct ring *ring, const struct uring_entry *entry) {
  int fds[SLOTS_AT_ONCE];
  for (uint32_t done = 0; done < entry->length && entry->offset != SLOT_ANY;) {
    uint32_t n = entry->length - done < SLOTS_AT_ONCE ? entry->length - done : SLOTS_AT_ONCE;
    long size = (long)(n * sizeof(*fds));
    if (ring_copy_in(fds, entry->address + done * sizeof(*fds), (size_t)size) != size) return;
    ring_files(ring, (uint32_t)entry->offset + done, fds, n);
    done += n;
  }
}

/* Fills in the request of an entry: all that is needed to count it when its result arrives. Its
 * kind is KIND_OTHER if it is on no recorded file or not an event. */
static void understand(struct ring *ring, const struct uring_entry *entry,
                       struct request *request) {
  enum { FROM_FIXED = 1u << 31 };
  int is_fixed = entry->flags & ENTRY_FIXED_FILE;
  uint32_t *late = &request->path[LATE];
  request->kind = entry->operation;
  request->offset = (int64_t)entry->offset;
  if (ring_is_transfer(entry->operation)) {
    understand_transfer(entry, file_of(ring, is_fixed, (uint32_t)entry->fd, late), request);
    return;
  }
  switch (entry->operation) {
  case URING_FSYNC:
  case URING_SYNC_FILE_RANGE:
  case URING_FALLOCATE:
  case URING_FTRUNCATE:
    request->file = file_of(ring, is_fixed, (uint32_t)entry->fd, late);
    request->flags = entry->operation_flags;
    if (entry->operation == URING_FALLOCATE) request->offset = (int64_t)entry->address;
    if (!request->file && !*late) request->kind = KIND_OTHER;
    break;
  case URING_SPLICE:
    request->file = file_of(ring, is_fixed, (uint32_t)entry->fd, late);
    request->from =
        file_of(ring, (entry->operation_flags & FROM_FIXED) != 0, entry->slot, &request->path[0]);
    request->length = (uint32_t)entry->address;
    request->flags = (uint32_t)(entry->address >> 32);
    if (!request->file && !request->from && !*late && !request->path[0]) request->kind = KIND_OTHER;
    break;
  case URING_FIXED_FD_INSTALL:
    request->file = file_of(ring, 1, (uint32_t)entry->fd, late);
    if (!request->file && !*late) request->kind = KIND_OTHER;
    break;
  case URING_CLOSE:
    understand_close(ring, entry, request);
    if (!request->file && !*late) request->kind = KIND_OTHER;
    break;
  case URING_OPENAT:
  case URING_OPENAT2:
    understand_open(ring, entry, request);
    break;
  case URING_RENAMEAT:
  case URING_SYMLINKAT:
  case URING_LINKAT:
    request->path[1] = path_keep(ring, entry->offset);
    request->length = entry->length; /* second folder; the only folder of a symbolic link */
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

/* Returns the file of an entry if it is a transfer on a file that is recorded and classified, as
 * most are. Returns NULL for other entries, whose handling needs more stack than a coroutine may
 * have. */
static struct posix_file *usual_file(const struct ring *ring, const struct uring_entry *entry) {
  if (!ring_is_transfer(entry->operation) || entry->fd < 0) return NULL;
  if (!(entry->flags & ENTRY_FIXED_FILE)) return posix_file_of(entry->fd);
  return fd_followed(ring_file(ring, (uint32_t)entry->fd));
}

/* Arguments of `understand`, to call it on another stack. */
struct understanding {
  struct ring *ring;
  const struct uring_entry *entry;
  struct request *request;
};

static void understand_there(void *understanding_) {
  const struct understanding *it = understanding_;
  understand(it->ring, it->entry, it->request);
}

/* Returns 1 for a request whose results have a flag that tells whether more follow: a multishot
 * request, which has a result per event, or a zero-copy send, whose second result reports that its
 * buffer is free. Otherwise returns 0. */
static int tells_often(const struct uring_entry *entry) {
  enum { POLL_MULTI = 1, ACCEPT_MULTI = 1, RECEIVE_MULTI = 2, TIMEOUT_MULTI = 1 << 6 };
  switch (entry->operation) {
  case URING_POLL_ADD:
    return (entry->length & POLL_MULTI) != 0;
  case URING_ACCEPT:
    return (entry->priority & ACCEPT_MULTI) != 0;
  case URING_RECV:
  case URING_RECVMSG:
    return (entry->priority & RECEIVE_MULTI) != 0;
  case URING_TIMEOUT:
    return (entry->operation_flags & TIMEOUT_MULTI) != 0;
  case URING_SEND_ZC:
  case URING_SENDMSG_ZC:
  case URING_RECV_ZC:
  case URING_READ_MULTISHOT:
    return 1;
  default:
    return 0;
  }
}

/* Stores a copy of a request until its result arrives, and returns the copy; NULL if the table is
 * full. Stores requests without a recorded file, too, because their results could otherwise be
 * mistaken for results of other requests with the same user data. The caller passes no multishot
 * request without a recorded file, because a flag marks its results, and holds the ring's lock. */
static struct request *remember(struct ring *ring, const struct uring_entry *entry,
                                const struct request *request) {
  struct request *place = requests_add(&ring->requests, entry->user_data);
  if (!place) return NULL;
  uint64_t key = place->key;
  uint32_t next = place->next;
  *place = *request;
  place->key = key;
  place->next = next;
  if (request->kind == KIND_OTHER) ring->others++;
  return place;
}

/* Counts an entry as submitted at t1 (ticks) and stores its request. An entry that reports no
 * result counts as unseen, except a close, which is assumed to succeed. */
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
  if (request.kind == URING_SPLICE && request.from && request.from != request.file)
    posix_ext(request.from, POSIX_EXT_URING_SUBMITS, 1, -1, 0, 0);
  if (entry->flags & ENTRY_NO_RESULT) { /* nothing reports whether it succeeded */
    if (request.kind == URING_CLOSE && request.file)
      posix_closed(request.file, t1, t1);
    else if (request.kind != KIND_OTHER)
      ring_unseen(1);
    return;
  }
  if (request.kind == KIND_OTHER && tells_often(entry)) return;
  if (!record_lock(&ring->requests.lock)) return;
  int is_lost = !remember(ring, entry, &request) && request.kind != KIND_OTHER;
  record_unlock(&ring->requests.lock);
  if (is_lost) ring_unseen(1);
}

uint32_t ring_missed(struct ring *ring) {
  if (!ring->memory) return 0;
  uint32_t first = ring_word(ring, ring->flags & RING_POLLED ? ring->tail_at : ring->head_at);
  int32_t gone = (int32_t)(first - ring->seen);
  if (ring->flags & RING_POLLED) gone -= (int32_t)ring->most;
  if (gone <= 0) return 0;
  ring->seen += (uint32_t)gone;
  return (uint32_t)gone;
}

/* The entries of one submission: up to liburing's own tail, or up to the ring's tail and, unless
 * the kernel polls the ring, at most `most`. */
struct range {
  const struct uring *library; /* NULL: entries up to the ring's tail */
  long most;                   /* largest number of entries; RING_ALL: all */
};

/* Returns the index behind the last entry of a submission. The caller holds the ring's lock. */
static uint32_t end_of(const struct ring *ring, const struct range *range) {
  if (range->library) return range->library->submission.end;
  uint32_t tail = ring_word(ring, ring->tail_at), head = ring_word(ring, ring->head_at);
  int limited = range->most >= 0 && !(ring->flags & RING_POLLED);
  return limited && tail - head > range->most ? head + (uint32_t)range->most : tail;
}

/* Copies the next entries that have not been read yet, at most AT_ONCE, and returns their number;
 * 0: no more. Adds entries that the kernel consumed before to *unseen. If liburing fills the array
 * itself, entry and array element have the same index. */
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
        place = ring_word(ring, ring->array_at + place * (uint32_t)sizeof(uint32_t));
      if (place >= ring->most) continue; /* out of range: the kernel drops the entry */
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
