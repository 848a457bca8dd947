/* Small pieces of private memory that are never given back: tables that only
 * some records need. */
#ifndef DARSHAN_SCRATCH_H
#define DARSHAN_SCRATCH_H

#include <stddef.h>

struct scratch {
  int lock;
  char *next, *end;
};

/* n zeroed bytes, n at most SCRATCH_MOST, aligned to 16; NULL: there is none. */
enum { SCRATCH_MOST = 8192 };
void *scratch_take(struct scratch *scratch, size_t n);

#endif
