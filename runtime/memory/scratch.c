/* Allocates small pieces of memory from chunks (scratch.h). */
#include "scratch.h"

#include "../intercept/memory.h"

struct scratch darshan_scratch;

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 128 << 10, HEAD = 16 };

struct scratch_chunk {
  size_t size, used;
};
_Static_assert(sizeof(struct scratch_chunk) == HEAD, "pieces are aligned to 16");

/* Maps a chunk twice as large as `full`, the previous one (NULL: there is none), up to
 * LARGEST_CHUNK. If several threads call it at once, one chunk is used and the others are unmapped.
 * Does nothing if out of memory. */
static void new_chunk(struct scratch *scratch, struct scratch_chunk *full) {
  size_t size = full ? 2 * full->size : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  struct scratch_chunk *chunk = private_memory(size);
  if (!chunk) return;
  *chunk = (struct scratch_chunk){size, HEAD};
  if (!__atomic_compare_exchange_n(&scratch->chunk, &full, chunk, 0, __ATOMIC_RELEASE,
                                   __ATOMIC_RELAXED))
    sys_munmap(chunk, size);
}

static void *take(struct scratch_chunk *chunk, size_t n) {
  size_t at = __atomic_load_n(&chunk->used, __ATOMIC_RELAXED);
  do {
    if (n > chunk->size - at) return NULL;
  } while (!__atomic_compare_exchange_n(&chunk->used, &at, at + n, 1, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return (char *)chunk + at;
}

void *scratch_take(struct scratch *scratch, size_t n) {
  n = (n + 15) & ~(size_t)15;
  for (;;) {
    struct scratch_chunk *chunk = __atomic_load_n(&scratch->chunk, __ATOMIC_ACQUIRE);
    void *piece = chunk ? take(chunk, n) : NULL;
    if (piece) return piece;
    new_chunk(scratch, chunk);
    if (__atomic_load_n(&scratch->chunk, __ATOMIC_ACQUIRE) == chunk) {
      __atomic_store_n(&scratch->lacked, 1, __ATOMIC_RELAXED);
      return NULL;
    }
  }
}
