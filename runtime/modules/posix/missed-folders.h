/* Folders in which names are looked for that are not there.  A folder in which that happens often
 * gets a record of its own, so that the log can name it; what happens once or twice here and there
 * stays in the record of other paths, and costs no memory. */
#ifndef DARSHAN_MISSED_FOLDERS_H
#define DARSHAN_MISSED_FOLDERS_H

#include <stddef.h>
#include <stdint.h>

enum { MISSED_OFTEN = 16 }; /* look-ups in vain that make a folder one that is named */

struct missed_folder {
  uint64_t hash;   /* 0: nobody has the place */
  uint32_t number; /* of its record of POSIX_EXT; 0: it has none */
  uint32_t count;  /* before it has a record: what the record of other paths has of it */
  double seconds;  /* of these */
};

/* All with the lock of the record of other paths. */

/* The place of a folder, whose name ends with a slash; NULL: all places that it may take are those
 * of folders with records. */
struct missed_folder *missed_folder(const char *name, size_t length);
void missed_folders_forget(void);

#endif
