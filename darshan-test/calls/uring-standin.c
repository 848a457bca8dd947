/* A stand-in for liburing: it has the functions of every version, calls the kernel directly, and
 * uses real rings. */
#define _GNU_SOURCE
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "intercept/sys/sys.h"
#include "uring-standin.h"

enum { GETEVENTS = 1, MASK_BYTES = 8, ENTRIES_AT = 0x10000000 };

static int enter(struct uring *ring, unsigned submit, unsigned wait) {
  return (int)sys_call(SYS_io_uring_enter, ring->fd, submit, wait, wait ? GETEVENTS : 0, 0,
                       MASK_BYTES);
}

/* Moves the entries since the last flush into the ring; returns their number. */
static unsigned flush(struct uring *ring) {
  unsigned *tail = (unsigned *)(void *)ring->submission.tail, n = 0;
  unsigned *array = (unsigned *)(void *)ring->submission.array;
  unsigned mask = *(unsigned *)(void *)ring->submission.mask;
  for (; ring->submission.first != ring->submission.end; ring->submission.first++, n++)
    array[(*tail + n) & mask] = ring->submission.first & mask;
  __atomic_store_n(tail, *tail + n, __ATOMIC_RELEASE);
  return n;
}

int io_uring_setup(unsigned n, struct uring_setup *setup) {
  return (int)SYS2(SYS_io_uring_setup, n, setup);
}

int io_uring_queue_init_params(unsigned n, struct uring *ring, void *params) {
  struct uring_setup *setup = params;
  int fd = io_uring_setup(n, setup);
  if (fd < 0) return fd;
  size_t size = setup->completion.results + setup->results * sizeof(struct uring_result);
  size_t array = setup->submission.array + setup->entries * sizeof(unsigned);
  if (size < array) size = array;
  char *memory = sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memset(ring, 0, sizeof(*ring));
  ring->fd = fd;
  ring->flags = setup->flags;
  ring->features = setup->features;
  ring->submission.memory = ring->completion.memory = memory;
  ring->submission.size = ring->completion.size = size;
  ring->submission.head = memory + setup->submission.head;
  ring->submission.tail = memory + setup->submission.tail;
  ring->submission.mask = memory + setup->submission.mask;
  ring->submission.entries = memory + setup->submission.entries;
  ring->submission.array = memory + setup->submission.array;
  ring->submission.queue = sys_mmap(NULL, setup->entries * sizeof(struct uring_entry),
                                    PROT_READ | PROT_WRITE, MAP_SHARED, fd, ENTRIES_AT);
  ring->completion.head = memory + setup->completion.head;
  ring->completion.tail = memory + setup->completion.tail;
  ring->completion.mask = memory + setup->completion.mask;
  ring->completion.entries = memory + setup->completion.entries;
  ring->completion.results = memory + setup->completion.results;
  return 0;
}

/* These functions call each other, as in the library, and create one ring. They return 0, or a
 * negative error number. */
int io_uring_queue_init(unsigned n, struct uring *ring, unsigned flags) {
  struct uring_setup setup = {.flags = flags};
  return io_uring_queue_init_params(n, ring, &setup);
}

int io_uring_queue_init_mem(unsigned n, struct uring *ring, void *params, void *memory,
                            size_t size) {
  (void)memory, (void)size;
  return io_uring_queue_init_params(n, ring, params);
}

void io_uring_queue_exit(struct uring *ring) {
  sys_munmap(ring->submission.queue,
             *(unsigned *)(void *)ring->submission.entries * sizeof(struct uring_entry));
  sys_munmap(ring->submission.memory, ring->submission.size);
  sys_close(ring->fd);
}

int io_uring_submit(struct uring *ring) {
  return enter(ring, flush(ring), 0);
}

int io_uring_submit_and_wait(struct uring *ring, unsigned n) {
  return enter(ring, flush(ring), n);
}

int io_uring_submit_and_wait_timeout(struct uring *ring, void **result, unsigned n, void *time,
                                     void *mask) {
  (void)result, (void)time, (void)mask;
  return enter(ring, flush(ring), n);
}

int io_uring_submit_and_wait_min_timeout(struct uring *ring, void **result, unsigned n, void *time,
                                         unsigned least, void *mask) {
  (void)result, (void)time, (void)least, (void)mask;
  return enter(ring, flush(ring), n);
}

int io_uring_submit_and_wait_reg(struct uring *ring, void **result, unsigned n, int index) {
  (void)result, (void)index;
  return enter(ring, flush(ring), n);
}

int io_uring_submit_and_get_events(struct uring *ring) {
  return enter(ring, flush(ring), 1);
}

int io_uring_get_events(struct uring *ring) {
  return enter(ring, 0, 1);
}

int __io_uring_get_cqe(struct uring *ring, void **result, unsigned submit, unsigned n, void *mask) {
  (void)result, (void)mask;
  return enter(ring, submit, n);
}

int __io_uring_sqring_wait(struct uring *ring) {
  (void)ring;
  return 0;
}

int io_uring_wait_cqes(struct uring *ring, void **result, unsigned n, void *time, void *mask) {
  (void)result, (void)time, (void)mask;
  return enter(ring, flush(ring), n) < 0 ? -1 : 0;
}

int io_uring_wait_cqes_min_timeout(struct uring *ring, void **result, unsigned n, void *time,
                                   unsigned least, void *mask) {
  (void)result, (void)time, (void)least, (void)mask;
  return enter(ring, flush(ring), n) < 0 ? -1 : 0;
}

int io_uring_wait_cqe_timeout(struct uring *ring, void **result, void *time) {
  (void)result, (void)time;
  return enter(ring, flush(ring), 1) < 0 ? -1 : 0;
}

unsigned io_uring_peek_batch_cqe(struct uring *ring, void **results, unsigned n) {
  (void)ring, (void)results;
  return n;
}

int io_uring_enter(unsigned fd, unsigned submit, unsigned n, unsigned flags, void *mask) {
  return (int)sys_call(SYS_io_uring_enter, (int)fd, submit, n, (int)flags, (long)mask, MASK_BYTES);
}

int io_uring_enter2(unsigned fd, unsigned submit, unsigned n, unsigned flags, void *more,
                    size_t size) {
  return (int)sys_call(SYS_io_uring_enter, (int)fd, submit, n, (int)flags, (long)more, (long)size);
}

int io_uring_register(unsigned fd, unsigned operation, void *argument, unsigned n) {
  return (int)SYS4(SYS_io_uring_register, (int)fd, operation, argument, n);
}

int io_uring_register_files(struct uring *ring, const int *fds, unsigned n) {
  return (int)SYS4(SYS_io_uring_register, ring->fd, REGISTER_FILES, fds, n);
}

int io_uring_register_files_tags(struct uring *ring, const int *fds, const void *tags, unsigned n) {
  (void)tags;
  return (int)SYS4(SYS_io_uring_register, ring->fd, REGISTER_FILES, fds, n);
}

int io_uring_register_files_update(struct uring *ring, unsigned first, const int *fds, unsigned n) {
  struct uring_update update = {.offset = first, .data = (uintptr_t)fds};
  return (int)SYS4(SYS_io_uring_register, ring->fd, REGISTER_FILES_UPDATE, &update, n);
}

int io_uring_register_files_update_tag(struct uring *ring, unsigned first, const int *fds,
                                       const void *tags, unsigned n) {
  struct uring_update update = {.offset = first, .data = (uintptr_t)fds};
  (void)tags;
  return (int)SYS4(SYS_io_uring_register, ring->fd, REGISTER_FILES_UPDATE, &update, n);
}
