/* What the files of the store know of each other: how the journal is laid out, and
 * where room comes from. */
#ifndef DARSHAN_STORE_ROOM_H
#define DARSHAN_STORE_ROOM_H

#include "store.h"

enum {
  STORE_JOB_START = sizeof(struct darshan_header),
  STORE_NAMES_START = STORE_JOB_START + DARSHAN_JOB_REGION_MAX,
  /* What the names of our own three records need, always kept. */
  STORE_OWN_NAME_BYTES = 3 * (8 + sizeof(OTHER_PATHS_NAME)),
  STORE_FIRST_ROOM = 4 * JOURNAL_PAGE, /* the frame and the first names; a first window */
  STORE_NAMES = STORE_MODULES,         /* the part behind those of the modules */
  STORE_PARTS
};

struct store_part *store_part_of(struct record_store *store, int part);

/* With the lock held: whether there is room for so many records, for a name of so
 * many bytes; memory is taken where there was none. */
int store_name_room(struct record_store *store, size_t bytes);

/* By the thread that has set growing, without the lock: more room for a part, by
 * the open file.  0, or -1. */
int store_grow_file(struct record_store *store, int part, int fd);
/* The frame of the annex, into the file. */
int store_write_annex(struct record_store *store, int fd);
/* Where the bytes of a part from this offset in it on are mapped. */
char *store_address(struct record_store *store, int part, size_t at);
/* Tells the frame how many records there are. */
void store_publish(struct record_store *store, struct store_region *region);
void store_publish_names(struct record_store *store);

/* store-groups.c, with the lock held: what the entry names stands for many files; its record in
 * a module, made beside the limit; none is known.  And store.c's: one more record, if `spare`
 * fit behind it; files are past the limit. */
void store_mark_group(struct record_store *store, struct store_entry *entry);
uint32_t store_share(struct record_store *store, enum store_module module,
                     struct store_entry *group);
void store_forget_groups(struct record_store *store);
uint32_t store_append_record(struct record_store *store, enum store_module module,
                             struct store_entry *entry, uint32_t spare);
void store_fold(struct record_store *store, enum store_module module);

/* By the thread that has set growing: what is in memory, back into the open file. */
void store_return(struct record_store *store, int fd);
/* The parts that are partly in memory, a bit for each. */
uint32_t store_in_memory(struct record_store *store);

/* One thread at a time makes room in the file. */
static inline int store_begin_growing(struct record_store *store) {
  int none = 0;
  return __atomic_compare_exchange_n(&store->growing, &none, 1, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}
static inline void store_end_growing(struct record_store *store) {
  __atomic_store_n(&store->growing, 0, __ATOMIC_RELEASE);
}

#endif
