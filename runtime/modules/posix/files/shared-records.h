/* Files without a record of their own, and folders that get a record only after many failed
 * lookups. */
#ifndef DARSHAN_SHARED_RECORDS_H
#define DARSHAN_SHARED_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "../posix.h"

/* Files that share a record with others: program files, and files past the limit of records. Each
 * has its own state while it is open, so that sums, patterns and read-write switches are the same
 * as if each file had a record. */

enum {
  OVERFLOW_FILES = 4096
}; /* number of such files that may be open at once; further files share a state */

/* Called in a forked child: forgets all files that share a record, and their ids. */
void overflow_reset(struct posix_state *posix);

/* The caller of these functions holds the store's lock. */

/* Returns the number of the state of the file with this id, if it is open and shares a record;
 * otherwise 0. */
uint32_t overflow_open(const struct posix_state *posix, uint64_t id);
/* Makes a state for a file that shares a record and is not open yet, counts the file in its group,
 * and returns the state's number. Returns POSIX_SHARED_FILE if no state is free; 0 if no record can
 * be made. alignment: of posix_file_system. group: the group whose record the file shares; NULL:
 * that of its name. */
uint32_t overflow_file(struct posix_state *posix, const struct posix_name *name, uint32_t alignment,
                       const struct store_entry *group);
/* Returns 1 if a file with this id has shared a record before, otherwise 0. */
int overflow_knows(const struct posix_state *posix, uint64_t id);
/* Called when the last descriptor of a file is closed. Releases its state and stores only what the
 * next open of the file needs: its last operation. */
void overflow_forget(struct posix_state *posix, struct posix_file *file);
/* Assigns the record of a group to a file without a record of its own. Returns 1, or 0 if group is
 * NULL or has no POSIX record. */
int overflow_share(struct posix_file *file, const struct store_entry *group);

/* Folders with failed lookups. A folder with many of them gets a record of its own, so that the log
 * names it. Rare failures are counted in the record of other paths and need no memory. */

enum { MISSED_OFTEN = 16 }; /* number of failed lookups from which on a folder gets a record */

/* A folder with failed lookups. */
struct missed_folder {
  uint64_t hash;   /* of the folder's name; 0: the slot is free */
  uint32_t number; /* number of the folder's POSIX_EXT record; 0: none */
  uint32_t count;  /* failed lookups that were counted in the record of other paths */
  double seconds;  /* time that these took */
};

/* The caller of these functions holds the lock of the record of other paths. */

/* Returns the slot of a folder, whose name ends with a slash, and gives it a slot if it has none:
 * that of the folder with the fewest failed lookups and no record, which is forgotten. Returns NULL
 * if folders with records occupy all possible slots. */
struct missed_folder *missed_folder(const char *name, size_t length);
void missed_folders_forget(void);

#endif
