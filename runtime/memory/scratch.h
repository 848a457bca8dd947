/* Small pieces of private memory that are never given back: tables that only
 * some records need. */
#ifndef DARSHAN_SCRATCH_H
#define DARSHAN_SCRATCH_H

#include <stddef.h>

struct scratch_chunk;
struct scratch {
  struct scratch_chunk *chunk; /* that pieces are taken from; NULL: none yet */
  int lacked;                  /* there was none for a piece: the log will say so */
};

/* n zeroed bytes, n at most SCRATCH_MOST, aligned to 16; NULL: there is none.  Takes
 * no lock: whoever calls it may be left at any moment. */
enum { SCRATCH_MOST = 8192 };
void *scratch_take(struct scratch *scratch, size_t n);

/* That of this process. */
extern struct scratch darshan_scratch __attribute__((visibility("hidden")));

#endif
