/* Small pieces of private memory that are never freed, for tables that only some records need. */
#ifndef DARSHAN_SCRATCH_H
#define DARSHAN_SCRATCH_H

#include <stddef.h>

struct scratch_chunk;
struct scratch {
  struct scratch_chunk *chunk; /* the current chunk; NULL: none yet */
  int lacked;                  /* 1: an allocation failed, which the log reports */
};

/* scratch_take returns n zeroed bytes, n at most SCRATCH_MOST, aligned to 16, or NULL if out of
 * memory. Takes no lock, because a handler may abandon the caller at any instruction. */
enum { SCRATCH_MOST = 8192 };
void *scratch_take(struct scratch *scratch, size_t n);

/* The scratch memory of this process. */
extern struct scratch darshan_scratch __attribute__((visibility("hidden")));

#endif
