/* The four most common accesses to an array. Like common-values.h, but each value is a tuple, of
 * which only the first field, the size, decides the order. */
#ifndef DARSHAN_COMMON_ACCESSES_H
#define DARSHAN_COMMON_ACCESSES_H

#include <stdint.h>

#include "../memory/scratch.h"

/* Fields of an access: its bytes, then the lengths and the strides of the last five dimensions. Up
 * to 32 different accesses are counted; four of them are in the record. */
enum { ACCESS_FIELDS = 11, ACCESS_FRAME = 5, ACCESSES_TRACKED = 32, ACCESSES_SHOWN = 4 };

struct common_access {
  int64_t value[ACCESS_FIELDS];
  int64_t count;
};

/* The table behind the four accesses of a record. A fifth different access allocates the entries (3
 * KB). used: number of entries in use; last: index of the entry that was counted last. */
struct common_accesses {
  uint32_t used, last;
  struct common_access *entry; /* array of ACCESSES_TRACKED; NULL: the record has all accesses */
};

/* Counts one occurrence of the access. values: the ACCESSES_SHOWN tuples of the record, one
 * after the other. counts: their counts. The caller holds the record's lock. */
void common_accesses_count(struct common_accesses *table, struct scratch *scratch, int64_t *values,
                           int64_t *counts, const int64_t access[ACCESS_FIELDS]);

#endif
