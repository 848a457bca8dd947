/* Memory that is freed all at once. It does not use malloc, which belongs to the application. */
#ifndef DARSHAN_ARENA_H
#define DARSHAN_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena { /* zeroed before its first use */
  struct arena_chunk *chunk;
  size_t total; /* bytes of all allocated pieces, each rounded up to 16 */
};

/* Returns n bytes, aligned to 16 and not always zeroed, or NULL if out of memory. */
void *arena_take(struct arena *arena, size_t n);
/* Frees the newest piece of the arena, which has n bytes. */
void arena_untake(struct arena *arena, size_t n);
/* Shortens the newest piece of the arena from n to `kept` bytes and frees the rest. */
void arena_shrink(struct arena *arena, size_t n, size_t kept);
void arena_drop(struct arena *arena);

#endif
