/* Functions that the files of the store share: the layout of the journal and its growth. */
#ifndef DARSHAN_STORE_ROOM_H
#define DARSHAN_STORE_ROOM_H

#include "store.h"

enum {
  STORE_JOB_START = sizeof(struct darshan_header),
  STORE_NAMES_START = STORE_JOB_START + DARSHAN_JOB_REGION_MAX,
  /* Bytes that are always free for the names of the runtime's own three records. */
  STORE_OWN_NAME_BYTES = 3 * (8 + sizeof(OTHER_PATHS_NAME)),
  STORE_FIRST_ROOM =
      4 * JOURNAL_PAGE,        /* bytes of the frame with the first names, and of a first window */
  STORE_NAMES = STORE_MODULES, /* number of the part with the names, after the modules' parts */
  STORE_PARTS
};

/* Returns a part of the store. part: number of a module, or STORE_NAMES. */
struct store_part *store_part_of(struct record_store *store, int part);

/* Returns 1 if a name of `bytes` bytes fits, after allocating memory if necessary. Otherwise
 * returns 0. The caller holds the store's lock. */
int store_name_room(struct record_store *store, size_t bytes);

/* Makes more space for a part in the open file. Called without the store's lock, by the thread that
 * has set `growing`. fd: the journal, open for writing. Returns 0, or -1 if the part has not
 * grown. */
int store_grow_file(struct record_store *store, int part, int fd);
/* Writes the heads and the trailer of the annex to the file. Returns 0 or -1. */
int store_write_annex(struct record_store *store, int fd);
/* Returns the address of the byte that is `at` bytes after the start of a part. */
char *store_address(struct record_store *store, int part, size_t at);
/* store_publish updates the length of a region in the journal's frame, so that readers see its new
 * records. If some of them are not in the file, it marks the module as partial instead.
 * store_publish_names updates the length of the names if all are in the file. The caller holds the
 * store's lock. */
void store_publish(struct record_store *store, struct store_region *region);
void store_publish_names(struct record_store *store);

/* The caller of these functions holds the store's lock. store_mark_group makes the GROUP record of
 * an entry that represents several files. store_share returns the number of the entry's record in a
 * module, which it makes if necessary, even beyond the limit. store_append_record adds a record for
 * the entry if `spare` more records would fit after it. It returns the record's number, or
 * NO_RECORD if there is no space. store_fold marks in the log that files exceed the limit.
 * store_forget_groups forgets all groups, in a forked child. */
void store_mark_group(struct record_store *store, struct store_entry *entry);
uint32_t store_share(struct record_store *store, enum store_module module,
                     struct store_entry *group);
void store_forget_groups(struct record_store *store);
uint32_t store_append_record(struct record_store *store, enum store_module module,
                             struct store_entry *entry, uint32_t spare);
void store_fold(struct record_store *store, enum store_module module);

/* Moves data from private memory to the open file, as far as space and time allow. Called by the
 * thread that has set growing. */
void store_return(struct record_store *store, int fd);
/* Returns bit i for each part i that is partly in private memory. */
uint32_t store_in_memory(struct record_store *store);

/* Allows only one thread at a time to make space in the file. Returns 1 if it is this thread, which
 * must call store_end_growing; else 0. */
static inline int store_begin_growing(struct record_store *store) {
  int none = 0;
  return __atomic_compare_exchange_n(&store->growing, &none, 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}
static inline void store_end_growing(struct record_store *store) {
  __atomic_store_n(&store->growing, 0, __ATOMIC_RELEASE);
}

#endif
