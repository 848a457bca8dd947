/* Folders with failed lookups. A folder with many of them gets a record of its own, so that the log
 * can name it. Rare failures are counted in the record of other paths and use no memory. */
#ifndef DARSHAN_MISSED_FOLDERS_H
#define DARSHAN_MISSED_FOLDERS_H

#include <stddef.h>
#include <stdint.h>

enum { MISSED_OFTEN = 16 }; /* failed lookups from which on a folder gets a record */

struct missed_folder {
  uint64_t hash;   /* 0: the slot is free */
  uint32_t number; /* of its POSIX_EXT record; 0: none */
  uint32_t count;  /* failed lookups counted in the record of other paths */
  double seconds;  /* their time */
};

/* The caller holds the lock of the record of other paths. */

/* Returns the slot of a folder, whose name ends with a slash; NULL if folders with records occupy
 * all its slots. */
struct missed_folder *missed_folder(const char *name, size_t length);
void missed_folders_forget(void);

#endif
