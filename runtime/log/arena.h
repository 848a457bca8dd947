/* Memory that is given back all at once: no malloc, which belongs to the
 * application. */
#ifndef DARSHAN_ARENA_H
#define DARSHAN_ARENA_H

#include <stddef.h>

struct arena_chunk;
struct arena { /* zeroed before its first use */
  struct arena_chunk *chunk;
  size_t total; /* bytes handed out since it was empty */
};

/* Aligned to 16 bytes; NULL if there is none.  Not always zeroed. */
void *arena_take(struct arena *arena, size_t n);
/* Takes back the newest piece, which had n bytes. */
void arena_untake(struct arena *arena, size_t n);
/* Keeps only the first part of the newest piece. */
void arena_shrink(struct arena *arena, size_t n, size_t kept);
void arena_drop(struct arena *arena);

#endif
