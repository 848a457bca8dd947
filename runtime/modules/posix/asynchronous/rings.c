/* The table of io_uring rings, and the files that are registered with them. */
#include "rings.h"

#include <sys/mman.h>

#include "../../../intercept/memory.h"
#include "../../../intercept/stack.h"

struct rings_state rings_state;

enum { QUEUES = 0, ENTRIES = 0x10000000 }; /* offsets at which the parts of a ring are mapped */

static struct ring *ring_at(uint32_t number) {
  return segments_at(&rings_state.rings, number);
}

static uint32_t rings_used(void) {
  return __atomic_load_n(&rings_state.used, __ATOMIC_ACQUIRE);
}

static int fd_of(const struct ring *ring) {
  return __atomic_load_n(&ring->fd, __ATOMIC_RELAXED);
}

/* Returns the ring with this descriptor, or NULL. */
static struct ring *find(int fd) {
  for (uint32_t i = 0, n = rings_used(); i < n; i++)
    if (fd_of(ring_at(i)) == fd) return ring_at(i);
  return NULL;
}

struct ring *ring_of_number(int fd, int registered) {
  uint32_t n = rings_used();
  if (LIKELY(n == 0) || fd < 0) return NULL;
  if (!registered) return find(fd);
  int thread = spin_token();
  for (uint32_t i = 0; i < n; i++)
    if (fd_of(ring_at(i)) >= 0 && ring_at(i)->index == fd && ring_at(i)->owner == thread)
      return ring_at(i);
  return NULL;
}

struct ring *ring_of(const struct uring *ring) {
  /* The struct may have been copied, and its descriptor may be closed, so the head identifies the
   * ring. */
  for (uint32_t i = 0, n = rings_used(); i < n; i++)
    if (ring_at(i)->head == ring->submission.head && fd_of(ring_at(i)) >= 0) return ring_at(i);
  return NULL;
}

/* Returns a free slot, or NULL if out of memory. The caller holds the lock of all rings. */
static struct ring *new_place(void) {
  struct rings_state *rings = &rings_state;
  for (uint32_t i = 0; i < rings->used; i++)
    if (fd_of(ring_at(i)) < 0) return ring_at(i);
  if (rings->rings.item_size == 0)
    segments_prepare(&rings->rings, sizeof(struct ring), SEGMENTS_PAGE);
  if (segments_have(&rings->rings, rings->used) < 0) return NULL;
  struct ring *ring = ring_at(rings->used);
  ring->fd = -1;
  __atomic_store_n(&rings->used, rings->used + 1, __ATOMIC_RELEASE);
  return ring;
}

/* Maps `size` bytes of a ring for reading; part: QUEUES or ENTRIES. Returns NULL on failure. In a
 * forked child the mapping would keep the ring alive, so children must not inherit it
 * (MADV_DONTFORK). */
static char *map(int fd, size_t size, long part) {
  void *memory = sys_mmap(NULL, size, PROT_READ, MAP_SHARED, fd, part);
  if (sys_failed(memory)) return NULL;
  if (sys_madvise(memory, size, MADV_DONTFORK) == 0) return memory;
  sys_munmap(memory, size);
  return NULL;
}

static void unmap(struct ring *ring) {
  if (ring->memory) sys_munmap(ring->memory, ring->size);
  if (ring->entries) sys_munmap(ring->entries, ring->entries_size);
  ring->memory = ring->entries = NULL;
}

/* Maps both queues of a ring and stores the offsets of their parts. If they cannot be mapped, or
 * have a layout that the runtime does not read, ring->memory stays NULL. */
static void map_ring(struct ring *ring, const struct uring_setup *setup) {
  if (setup->flags & (RING_NO_MAPPING | RING_MIXED) || !(setup->features & RING_ONE_MAPPING))
    return;
  size_t array = setup->flags & RING_NO_ARRAY
                     ? 0
                     : setup->submission.array + (size_t)setup->entries * sizeof(uint32_t);
  size_t results = (size_t)setup->results * sizeof(struct uring_result);
  if (setup->flags & RING_LARGE_RESULTS) results *= 2;
  results += setup->completion.results;
  ring->size = array > results ? array : results;
  ring->entries_size = (size_t)setup->entries * sizeof(struct uring_entry);
  if (setup->flags & RING_LARGE_ENTRIES) ring->entries_size *= 2;
  ring->memory = map(ring->fd, ring->size, QUEUES);
  ring->entries = ring->memory ? map(ring->fd, ring->entries_size, ENTRIES) : NULL;
  if (!ring->entries) unmap(ring);
  ring->head_at = setup->submission.head;
  ring->tail_at = setup->submission.tail;
  ring->array_at = setup->flags & RING_NO_ARRAY ? 0 : setup->submission.array;
  ring->results_tail_at = setup->completion.tail;
  ring->results_at = setup->completion.results;
}

/* Adds a ring to the table and counts it, unless the table has a ring with this descriptor. head:
 * of liburing's struct; NULL: unknown. A ring that cannot be recorded counts as one unseen
 * request. */
static void begin(int fd, const struct uring_setup *setup, const char *head) {
  struct rings_state *rings = &rings_state;
  if (!record_lock(&rings->lock)) return;
  struct ring *ring = find(fd);
  int known = ring != NULL;
  if (!ring) ring = new_place();
  if (ring && !known) {
    ring->head = head;
    ring->flags = setup->flags;
    ring->index = -1;
    ring->most = setup->entries;
    ring->most_results = setup->results;
    ring->seen = ring->results_seen = 0;
    ring->files_used = ring->paths_used = ring->free_path = 0;
    requests_forget(&ring->requests);
    ring->others = 0;
    ring->fd = fd;
    map_ring(ring, setup);
    __atomic_store_n(&ring->fd, fd, __ATOMIC_RELEASE);
  }
  record_unlock(&rings->lock);
  if (!ring) runtime_table_full();
  if (known) return;
  posix_ring_counted();
  if (!ring || !ring->memory) ring_unseen(1); /* counts the unseen request or requests as one */
}

void ring_made(int fd, const struct uring_setup *setup) {
  if (!fd_may_change()) return;
  fd_is_other(fd);
  begin(fd, setup, NULL);
}

void ring_made_by_library(const struct uring *ring) {
  const char *memory = ring->submission.memory;
  struct uring_setup setup = {.flags = ring->flags, .features = ring->features};
  if (!fd_may_change() || ring->fd < 0) return;
  struct ring *fresh = ring_of_number(ring->fd, 0);
  if (fresh && !fresh->head && fresh->seen == 0 && ring_missed(fresh) == 0) {
    fresh->head = ring->submission.head; /* the library's system call was seen */
    return;
  }
  fd_is_other(ring->fd);
  if (!memory || ring->completion.memory != memory) setup.features &= ~(uint32_t)RING_ONE_MAPPING;
  setup.entries = *(const uint32_t *)(const void *)ring->submission.entries;
  setup.results = *(const uint32_t *)(const void *)ring->completion.entries;
  setup.submission.head = (uint32_t)(ring->submission.head - memory);
  setup.submission.tail = (uint32_t)(ring->submission.tail - memory);
  if (ring->submission.array)
    setup.submission.array = (uint32_t)(ring->submission.array - memory);
  else
    setup.flags |= RING_NO_ARRAY;
  setup.completion.tail = (uint32_t)(ring->completion.tail - memory);
  setup.completion.results = (uint32_t)(ring->completion.results - memory);
  begin(ring->fd, &setup, ring->submission.head);
}

static void end(void *ring_) {
  struct ring *ring = ring_;
  uint64_t now = ticks_now();
  ring_look(ring, now, now);
  if (!record_lock(&ring->requests.lock)) return;
  uint32_t unseen = ring_missed(ring);
  unmap(ring);
  requests_forget(&ring->requests);
  ring->head = NULL;
  __atomic_store_n(&ring->fd, -1, __ATOMIC_RELEASE);
  record_unlock(&ring->requests.lock);
  ring_unseen(unseen);
}

void ring_ends(struct ring *ring) {
  stack_run_anyway(end, ring);
}

void ring_closed(int fd) {
  struct ring *ring = ring_of_number(fd, 0);
  if (ring) ring_ends(ring);
}

struct posix_file *ring_file(const struct ring *ring, uint32_t slot) {
  if (slot >= __atomic_load_n(&ring->files_used, __ATOMIC_ACQUIRE)) return NULL;
  return *(struct posix_file **)segments_at(&ring->files, slot);
}

void ring_set_file(struct ring *ring, uint32_t slot, struct posix_file *file) {
  enum { SLOTS_MOST = 1 << 20 };
  if (slot >= SLOTS_MOST || !record_lock(&ring->requests.lock)) return;
  if (ring->files.item_size == 0)
    segments_prepare(&ring->files, sizeof(struct posix_file *), SEGMENTS_PAGE);
  if (segments_have(&ring->files, slot) == 0) {
    for (uint32_t i = ring->files_used; i < slot; i++) /* clears stale slots of an earlier ring */
      *(struct posix_file **)segments_at(&ring->files, i) = NULL;
    *(struct posix_file **)segments_at(&ring->files, slot) = file;
    if (slot >= ring->files_used) __atomic_store_n(&ring->files_used, slot + 1, __ATOMIC_RELEASE);
  }
  record_unlock(&ring->requests.lock);
}

void ring_files(struct ring *ring, uint32_t first, const int *fds, unsigned n) {
  for (unsigned i = 0; fds && i < n; i++) {
    if (fds[i] == FILE_SKIP) continue;
    struct posix_file *file = fds[i] >= 0 ? posix_file_behind(fds[i]) : NULL;
    ring_set_file(ring, first + i, file ? file : FD_OTHER);
  }
}

static const int *list_at(uint64_t address) {
  return (const int *)(uintptr_t)address;
}

struct registration {
  int fd;
  unsigned operation, n;
  const void *argument;
  long result;
};

static void registered_there(void *registration_) {
  enum { BY_INDEX = 1u << 31 };
  const struct registration *registration = registration_;
  unsigned operation = registration->operation, n = registration->n;
  const void *argument = registration->argument;
  long result = registration->result;
  struct ring *ring = ring_of_number(registration->fd, (operation & BY_INDEX) != 0);
  if (!ring) return;
  const struct uring_update *update = argument;
  const struct uring_files *files = argument;
  switch (operation & ~BY_INDEX) {
  case REGISTER_FILES:
    ring_files(ring, 0, argument, n);
    break;
  case REGISTER_FILES2:
    if (files->data) ring_files(ring, 0, list_at(files->data), files->count);
    break;
  case REGISTER_FILES_UPDATE:
  case REGISTER_FILES_UPDATE2: /* the result is the number of slots that were updated */
    ring_files(ring, update->offset, list_at(update->data), (unsigned)result);
    break;
  case UNREGISTER_FILES:
    __atomic_store_n(&ring->files_used, 0, __ATOMIC_RELEASE);
    break;
  case REGISTER_RINGS:
    for (unsigned i = 0; i < (unsigned)result; i++) {
      const struct uring_number *number = (const struct uring_number *)argument + i;
      struct ring *one = ring_of_number((int)number->fd, 0);
      if (!one) continue;
      one->index = (int)number->index;
      one->owner = spin_token();
    }
    break;
  }
}

/* Called after io_uring_register with its arguments and result: stores the files, or the index of
 * the ring, that it registered; nothing if it failed. Runs on a stack of the runtime, because
 * looking the files up needs much stack. */
void ring_registered(int fd, unsigned operation, const void *argument, unsigned n, long result) {
  struct registration registration = {fd, operation, n, argument, result};
  if (rings_state.used && result >= 0) stack_run_anyway(registered_there, &registration);
}

/* Forgets all rings in a forked child, which does not inherit the runtime's mappings; the rings
 * belong to the parent. */
void rings_forked(void) {
  for (uint32_t i = 0; i < rings_state.used; i++) {
    struct ring *ring = ring_at(i);
    ring->fd = -1;
    ring->memory = ring->entries = NULL;
    ring->requests.lock = 0;
    requests_forget(&ring->requests);
  }
  rings_state.lock = 0;
}
