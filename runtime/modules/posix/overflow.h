/* Files that share a record with others: program files, and files past the record limit.
 * Each has its own state while it is open, so sums, patterns and read-write switches come out as
 * they would with a record per file. */
#ifndef DARSHAN_OVERFLOW_H
#define DARSHAN_OVERFLOW_H

#include "posix.h"

enum { OVERFLOW_FILES = 4096 }; /* open at a time; beyond, they share a state */

void overflow_reset(struct posix_state *posix);

/* All with the store's lock held. */

/* The number of the file of this id that is open; 0: none is. */
uint32_t overflow_open(const struct posix_state *posix, uint64_t id);
/* The number of the file of this name, which is not open; group NULL: that of its name. */
uint32_t overflow_file(struct posix_state *posix, const struct posix_name *name, uint32_t alignment,
                       const struct store_entry *group);
/* 1 if this id came here before. */
int overflow_knows(const struct posix_state *posix, uint64_t id);
/* No descriptor is left: keep only what the next open must know. */
void overflow_forget(struct posix_state *posix, struct posix_file *file);
/* Lets a file without a record of its own use that of a group; 0: no memory. */
int overflow_share(struct posix_file *file, const struct store_entry *group);

#endif
