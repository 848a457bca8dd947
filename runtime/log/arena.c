/* Allocates arenas in chunks of private memory (arena.h). */
#include "arena.h"

#include <stdint.h>

#include "../intercept/memory.h"

enum { CHUNK = 256 << 10, ALIGNMENT = 16 };

struct arena_chunk {
  struct arena_chunk *before;
  size_t size, used;
};

static size_t round_up(size_t n) {
  return (n + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void *arena_take(struct arena *arena, size_t n) {
  struct arena_chunk *chunk = arena->chunk;
  n = round_up(n);
  if (!chunk || n > chunk->size - chunk->used) {
    size_t head = round_up(sizeof(*chunk)), size = n > CHUNK / 4 ? n + head : CHUNK;
    if (size < n || !(chunk = private_memory(size))) return NULL;
    *chunk = (struct arena_chunk){arena->chunk, size, head};
    arena->chunk = chunk;
  }
  void *piece = (char *)chunk + chunk->used;
  chunk->used += n;
  arena->total += n;
  return piece;
}

void arena_untake(struct arena *arena, size_t n) {
  arena->chunk->used -= round_up(n);
  arena->total -= round_up(n);
}

void arena_shrink(struct arena *arena, size_t n, size_t kept) {
  arena_untake(arena, n);
  arena->chunk->used += round_up(kept);
  arena->total += round_up(kept);
}

void arena_drop(struct arena *arena) {
  while (arena->chunk) {
    struct arena_chunk *before = arena->chunk->before;
    sys_munmap(arena->chunk, arena->chunk->size);
    arena->chunk = before;
  }
  arena->total = 0;
}
