/* All records of this process, by module and by name. The records and their names are in the
 * journal, in the layout of a log; the index and the state that a log does not have are in private
 * memory.
 *
 * Records begin in a working copy in private memory, which store_keep replaces by the file. So no
 * thread has to wait for a file system, and a process may stay without a file until it becomes a
 * rank. Both kinds of memory grow by separate windows. The thread that needs space in the file
 * makes it, without any lock (store_make_room). A thread that gets no space uses private memory:
 * the file system may be slow or full, or the file may be at the application's limit. */
#ifndef DARSHAN_STORE_H
#define DARSHAN_STORE_H

#include <stdint.h>

#include "../door/door.h"
#include "../memory/segments.h"
#include "base-record.h"
#include "journal.h"
#include "log-format.h"

/* A part of the journal, which fills from its start. Sizes are counted from there. */
struct store_part {
  size_t start, end; /* offsets in the file */
  size_t mapped;     /* windows exist up to here */
  size_t usable;     /* memory may be touched up to here */
  size_t kept;       /* data are in the file up to here */
  size_t reserved;   /* file offset of the first page without reserved space */
  int in_memory;     /* the last window is private memory */
};

/* Size of the table of folders (learned one by one), each with the group of the program tree that
 * it belongs to, or NULL. */
enum { STORE_FOLDERS = 512 };
struct store_folder {
  uint64_t hash;
  struct store_entry *tree;
};

enum { STORE_BESIDE = 3, STORE_WINDOWS = 24, STORE_GUARDS = 8 };

/* Subject of the records: files; something that few processes have, which therefore takes no space
 * from files; a layer as a whole (these records are trimmed for the log); additions to records of
 * the log. */
enum store_of { STORE_OF_FILES, STORE_OF_RARITIES, STORE_OF_LAYERS, STORE_OF_ANNEX };

struct store_shape {
  int module_id;
  uint32_t version; /* of the record */
  uint32_t record_size;
  enum store_of of;
};

struct store_region {
  int module_id;
  uint32_t version, record_size; /* as in its shape */
  enum store_of of;
  uint32_t limit;    /* largest number of records, without group records */
  uint32_t room;     /* capacity in records, with group records */
  uint32_t count;    /* number of records */
  uint32_t overflow; /* number of the overflow record, NO_RECORD if it does not exist */
  uint32_t groups;   /* number of group records, without the overflow record */
  int folded;        /* 1: files are past the limit */
  int cut;           /* 1: a larger MODMEM would raise the limit */
  /* The entry with the last number. If this number is larger than count, the thread that made the
   * record was interrupted. */
  const struct store_entry *newest;
  struct store_part part;
  struct segments records;           /* item 0 is record 1 */
  uint32_t held;                     /* records whose lock store_keep has taken */
  struct darshan_annex_block *block; /* in the file, before the records; or NULL */
};

/* The part of the journal with the names, and its windows. A name is never split over two windows;
 * two windows may map the same page. */
struct store_names {
  struct store_part part;
  uint64_t used;
  uint32_t windows;
  struct store_window {
    uint64_t from; /* its first byte of the part; it ends where the next window begins */
    char *at;      /* address of that byte */
    size_t memory; /* private memory from this byte on, though the file exists */
  } window[STORE_WINDOWS];
};

struct store_index { /* entries by id: open addressing, at most half full, */
  uint32_t mask;     /* or 7/8 if out of memory */
  uint32_t place[];
};

/* The first members are written at the start of each process, the others at its first record. */
struct record_store {
  struct segments *beside[STORE_MODULES][STORE_BESIDE]; /* modules' own tables, by record number */
  int *guards[2][STORE_GUARDS];                         /* outer, inner */
  int guards_held[2];
  char *frame;     /* header and job, then the first names. NULL: nothing is recorded */
  int annex_ready; /* the heads and the trailer of the annex are written */
  int lock;        /* for adding; lookups take no lock */
  int changing;    /* set by the lock holder; if set when the lock is taken, repair is due */
  uint32_t wanted; /* a bit for each part that is short of space in the file */
  int growing;     /* a thread makes space in the file */
  int closed;      /* recording has ended: no file is made any more */
  int unrecorded;  /* out of memory for a record and for the overflow record */
  uint32_t entries;
  int64_t rank;                    /* of new records */
  struct darshan_lookups *lookups; /* the mapped page of the journal, or NULL */
  struct store_index *index;       /* NULL: store_prepare was not called */
  struct store_names names;
  struct store_region regions[STORE_MODULES];
  struct segments entry;                     /* [1..], in the order of creation */
  uint32_t trees, folders;                   /* groups that were made */
  struct store_entry *last_group;            /* the folder group that was looked up last, or NULL */
  struct name_folder last_folder;            /* the folder of last_group */
  struct journal journal;                    /* its path is the last member */
  struct store_folder folder[STORE_FOLDERS]; /* last, since few processes touch it */
};

struct store_limits {
  uint64_t name_bytes, module_bytes;
  uint32_t records[STORE_MODULES];
  int asked[STORE_MODULES]; /* 1: MAX_RECORDS set the number; module_bytes does not limit it */
};

/* Computes the layout, without mapping memory for records. Returns 0, or -1 if out of memory. */
int store_prepare(struct record_store *store, const struct store_shape shapes[STORE_MODULES],
                  const struct store_limits *limits);
/* Allows records from now on, in private memory. Returns 0, or -1 if out of memory. */
int store_begin(struct record_store *store);
/* Sets the job region of the journal. If job_text is NULL, the old text stays. */
void store_set_job(struct record_store *store, const struct darshan_job *job, const char *job_text,
                   size_t job_text_length);

/* Moves all records to a file at journal.path, which is a log from then on. It may be called again
 * if the previous file was removed. The caller holds no lock; other threads continue to count.
 * Returns 0, or -1 if the records stay where they are. */
int store_keep(struct record_store *store);

/* Writes all records into another, empty file, in the layout of the journal. No lock is held while
 * it writes; other threads continue to count. Returns 0 or -1. */
int store_snapshot(struct record_store *store, int fd);

/* Makes space in the file for a record of this module and for names, if it is short. The caller
 * holds no lock. */
void store_make_room_slow(struct record_store *store, enum store_module module);
/* Reads a hint without the lock: a thread that sees it late makes space a little later. */
#define store_hint(word) __atomic_load_n(word, __ATOMIC_RELAXED)
static inline void store_may_use(struct store_part *part, size_t bytes) {
  __atomic_store_n(&part->usable, bytes, __ATOMIC_RELAXED);
}
static inline void store_make_room(struct record_store *store, enum store_module module) {
  if (__builtin_expect(store_hint(&store->wanted) != 0 ||
                           store_hint(&store->regions[module].part.usable) == 0,
                       0))
    store_make_room_slow(store, module);
}

/* Gives an empty name to entries that have none, after recording has ended. */
void store_name_rest(struct record_store *store);

/* Makes memory for the module's next record, or at least for its overflow record, while memory
 * can still be allocated. */
void store_set_aside(struct record_store *store, enum store_module module);

/* Moves all data from private memory to the file, with space for the overflow records after them.
 * The caller holds no lock. When all data are there, it calls `then` under the store's lock, and
 * repeats that until `then` returns 1. Returns 1 if it did, 0 after some ten seconds or if there is
 * no space. */
int store_bring_back(struct record_store *store, int (*then)(void));

/* The records in the file, for messages. The file may contain none, a part or all of them.
 * STORE_UNSEEN and STORE_UNSEEN_PARTLY: the same, but the file cannot be inspected now. store_kept
 * returns this value. */
enum store_kept { STORE_LOST, STORE_UNSEEN_PARTLY, STORE_UNSEEN, STORE_KEPT_PARTLY, STORE_KEPT };
enum store_kept store_kept(const struct record_store *store);

/* Forgets the parent's records in a forked child. */
void store_forget(struct record_store *store);

/* Sets the rank of all records and of new ones, when the process becomes a rank. The caller holds
 * the lock. */
void store_set_rank(struct record_store *store, int64_t rank);
/* Lowers the largest number of records of a module. The caller holds the lock. */
void store_lower_limit(struct record_store *store, enum store_module module, uint32_t limit);
/* Drops all records and names, because the process must not record or its journal was truncated.
 * Other threads may still be writing to some. */
void store_drop_records(struct record_store *store);

/* Return all records of a module, or all names, contiguous for the log. If they are in several
 * windows, the copy is never freed. Return NULL if out of memory. */
const char *store_records(const struct record_store *store, enum store_module module);
const char *store_all_names(const struct record_store *store);

#endif
