/* Between the two halves of what goes through rings: ring-requests.c understands an entry when it
 * is submitted, ring-results.c counts it when its result is there. */
#ifndef DARSHAN_RING_REQUESTS_H
#define DARSHAN_RING_REQUESTS_H

#include "rings.h"

enum { KIND_OTHER = -1 }; /* of a request that is about no file */
enum { LATE = 1 };        /* where `path` of a request without a second path has a slot */

static inline uint32_t ring_word(const struct ring *ring, uint32_t offset) {
  return __atomic_load_n((const uint32_t *)(const void *)(ring->memory + offset), __ATOMIC_ACQUIRE);
}

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

/* From the program's memory, which may not be there: how many bytes could be copied. */
long ring_copy_in(void *to, uint64_t from, size_t n);

/* A path that was kept when its request was submitted; NULL: none. */
char *ring_path(const struct ring *ring, uint32_t number);
void ring_path_give(struct ring *ring, uint32_t number);

#endif
