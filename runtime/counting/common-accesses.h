/* The four most common accesses to an array: as common-values.h, but each value
 * is a tuple of which the first field, the size, alone decides the order. */
#ifndef DARSHAN_COMMON_ACCESSES_H
#define DARSHAN_COMMON_ACCESSES_H

#include <stdint.h>

#include "../memory/scratch.h"

/* Bytes, lengths in five dimensions, strides in five dimensions. */
enum { ACCESS_FIELDS = 11, ACCESS_FRAME = 5, ACCESSES_TRACKED = 32, ACCESSES_SHOWN = 4 };

struct common_access {
  int64_t value[ACCESS_FIELDS];
  int64_t count;
};

/* The record holds the first four by itself; a fifth one takes 3 KB of memory. */
struct common_accesses {
  uint32_t used, last;
  struct common_access *entry; /* ACCESSES_TRACKED of them; NULL: the record has all */
};

/* Counts one occurrence.  values: the record's ACCESSES_SHOWN tuples, one after
 * the other; counts: their counts. */
void common_accesses_count(struct common_accesses *table, struct scratch *scratch, int64_t *values,
                           int64_t *counts, const int64_t access[ACCESS_FIELDS]);

#endif
