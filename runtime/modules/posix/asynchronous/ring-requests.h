/* Interface between ring-requests.c, which reads an entry when it is submitted, and ring-results.c,
 * which counts the request when its result arrives. */
#ifndef DARSHAN_RING_REQUESTS_H
#define DARSHAN_RING_REQUESTS_H

#include "rings.h"

enum { KIND_OTHER = -1 }; /* kind of a request without a recorded file */
enum { LATE = 1 }; /* index in path of a slot number (file_of), in requests without a second path */

/* Returns the word at this byte offset of the ring's mapped queues. ring->memory is not NULL. */
static inline uint32_t ring_word(const struct ring *ring, uint32_t offset) {
  return __atomic_load_n((const uint32_t *)(const void *)(ring->memory + offset), __ATOMIC_ACQUIRE);
}

/* Returns 1 if the operation (enum uring_operation) reads or writes a file, otherwise 0. */
static inline int ring_is_transfer(int operation) {
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

/* Copies n bytes from the application's memory, which may be unmapped. Returns the number of
 * copied bytes, or a negative value. */
long ring_copy_in(void *to, uint64_t from, size_t n);

/* ring_path returns a path that was stored when its request was submitted; NULL if number is 0.
 * number: an element of the request's `path`. The ring owns the text until ring_path_give, which
 * frees the slot; it does nothing for 0. */
char *ring_path(const struct ring *ring, uint32_t number);
void ring_path_give(struct ring *ring, uint32_t number);

#endif
