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

/* A part of the journal. Data are added at its end. Sizes are bytes from its start. */
struct store_part {
  size_t start, end; /* offsets in the file */
  size_t mapped;     /* size up to which windows are mapped */
  size_t usable;     /* size up to which the memory may be used */
  size_t kept;       /* size up to which the data are in the file */
  size_t reserved;   /* file offset of the first page without reserved space */
  int in_memory;     /* 1: the last window is private memory */
};

/* Size of the table of folders. For each folder that was looked up, the table has the group of the
 * program tree to which the folder belongs, or NULL. */
enum { STORE_FOLDERS = 512 };
struct store_folder {
  uint64_t hash;
  struct store_entry *tree;
};

/* Largest numbers of tables beside the records of a module, of windows of names, and of locks that
 * modules register. */
enum { STORE_BESIDE = 3, STORE_WINDOWS = 24, STORE_GUARDS = 8 };

/* Subjects of a module's records. FILES: files. RARITIES: objects that few processes have;
 * their records take no space from files. LAYERS: a layer as a whole; these records are trimmed for
 * the log. ANNEX: additions to records of the log. */
enum store_of { STORE_OF_FILES, STORE_OF_RARITIES, STORE_OF_LAYERS, STORE_OF_ANNEX };

struct store_shape {
  int module_id;
  uint32_t version; /* version of the record layout */
  uint32_t record_size;
  enum store_of of;
};

struct store_region {
  int module_id;
  uint32_t version, record_size; /* copied from the module's shape */
  enum store_of of;
  uint32_t limit;    /* largest number of records, without group records */
  uint32_t room;     /* capacity in records, including group records */
  uint32_t count;    /* number of records */
  uint32_t overflow; /* number of the overflow record, NO_RECORD if it does not exist */
  uint32_t groups;   /* number of group records, without the overflow record */
  int folded;        /* 1: some files exceed the limit */
  int cut;           /* 1: a larger MODMEM would raise the limit */
  /* The entry that has the last record number. If this number is larger than count, the thread that
   * made the record was interrupted. */
  const struct store_entry *newest;
  struct store_part part;
  struct segments records;           /* item 0 is record 1 */
  uint32_t held;                     /* number of records whose locks store_keep has taken */
  struct darshan_annex_block *block; /* its head in the file, before the records; or NULL */
};

/* The part of the journal with the names, and its windows. A name is never split over two windows;
 * two windows may map the same page. */
struct store_names {
  struct store_part part;
  uint64_t used;
  uint32_t windows;
  struct store_window {
    uint64_t
        from; /* offset of its first byte in the part; its data end where the next window begins */
    char *at; /* address of that byte */
    size_t memory; /* from this offset on it is private memory although the file exists */
  } window[STORE_WINDOWS];
};

struct store_index { /* entries by id; open addressing; at most half full, 7/8 if memory runs out */
  uint32_t mask;     /* number of places - 1 */
  uint32_t place[];
};

/* The first members are written at the start of each process, the others at its first record. */
struct record_store {
  struct segments *beside[STORE_MODULES][STORE_BESIDE]; /* tables of modules, by record number */
  int *guards[2][STORE_GUARDS];                         /* locks of modules: outer, inner */
  int guards_held[2];
  char *frame;     /* header, job and the first names; NULL: nothing has been recorded */
  int annex_ready; /* 1: the heads and the trailer of the annex are written */
  int lock;        /* taken to add; lookups take no lock */
  int changing;    /* 1: the lock holder is changing the store; if it is 1 when the lock is taken,
                      repair is called */
  uint32_t wanted; /* a bit for each part that has little space in the file */
  int growing;     /* 1: a thread is making space in the file */
  int closed;      /* 1: recording has ended, and no file will be made */
  int unrecorded;  /* 1: there was no memory for a record, not even for the overflow record */
  uint32_t entries;
  int64_t rank;                    /* rank of new records */
  struct darshan_lookups *lookups; /* page of the journal with the failed lookups, or NULL */
  struct store_index *index;       /* NULL: store_prepare was not called */
  struct store_names names;
  struct store_region regions[STORE_MODULES];
  struct segments entry;          /* store_entry, from 1, in the order of creation */
  uint32_t trees, folders;        /* number of groups made so far, by kind */
  struct store_entry *last_group; /* the group of a folder that was looked up last, or NULL */
  struct name_folder last_folder; /* the folder of last_group */
  struct journal journal;         /* its path is the last member */
  struct store_folder folder[STORE_FOLDERS]; /* last, since few processes touch it */
};

struct store_limits {
  uint64_t name_bytes, module_bytes; /* for all names; for the records of all modules */
  uint32_t records[STORE_MODULES];
  int asked[STORE_MODULES]; /* 1: MAX_RECORDS has set the number of records, so module_bytes does
                               not limit it */
};

/* Computes the layout, without mapping memory for records. Returns 0, or -1 if out of memory. */
int store_prepare(struct record_store *store, const struct store_shape shapes[STORE_MODULES],
                  const struct store_limits *limits);
/* Allows records to be made from now on, in private memory. Returns 0, or -1 if out of memory. */
int store_begin(struct record_store *store);
/* Sets the job region of the journal: the job record, then job_text (command line and mount table)
 * of job_text_length bytes, with its NUL. If job_text is NULL, the old text stays. The caller holds
 * the store's lock, unless recording has ended. */
void store_set_job(struct record_store *store, const struct darshan_job *job, const char *job_text,
                   size_t job_text_length);

/* Moves all records to a file at journal.path, which from then on is a log. May be called again if
 * the file was removed. The caller holds no lock; other threads continue to count. Returns 0, or -1
 * if the records stay where they are. */
int store_keep(struct record_store *store);

/* Writes all records into another, empty file, in the layout of the journal. No lock is held while
 * it writes; other threads continue to count. Returns 0, or -1 if there are no records, another
 * thread works on the file, or a write fails. */
int store_snapshot(struct record_store *store, int fd);

/* Makes space in the file for records of this module and for names, if little is left. The caller
 * holds no lock. */
void store_make_room_slow(struct record_store *store, enum store_module module);
/* Reads a word without the lock. Its value may be old: a thread then makes space a little later. */
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

/* Called after recording has ended: gives an empty name to entries that have none. */
void store_name_rest(struct record_store *store);

/* Allocates memory for the module's next record, or at least for its overflow record, while that is
 * still possible. */
void store_set_aside(struct record_store *store, enum store_module module);

/* Moves all data from private memory to the file, where it reserves space for the overflow records.
 * The caller holds no lock. When all data are in the file, calls `then` under the store's lock, and
 * repeats this until `then` returns 1. Returns 1 in this case, 0 after some ten seconds or if there
 * is no space. */
int store_bring_back(struct record_store *store, int (*then)(void));

/* The part of the records that is in the file, for messages: none, some or all. STORE_UNSEEN and
 * STORE_UNSEEN_PARTLY: all or some should be in the file, but the file cannot be inspected now.
 * store_kept returns this value. */
enum store_kept { STORE_LOST, STORE_UNSEEN_PARTLY, STORE_UNSEEN, STORE_KEPT_PARTLY, STORE_KEPT };
enum store_kept store_kept(const struct record_store *store);

/* Called in a forked child: forgets the parent's records. */
void store_forget(struct record_store *store);

/* Sets the rank of all records and of new ones, when the process becomes a rank. The caller holds
 * the store's lock. */
void store_set_rank(struct record_store *store, int64_t rank);
/* Lowers the largest number of records of a module to `limit`; does nothing if it is lower already.
 * The caller holds the store's lock. */
void store_lower_limit(struct record_store *store, enum store_module module, uint32_t limit);
/* Drops all records and names, because the process must not record or its journal was truncated.
 * Other threads may still be writing to some of them. */
void store_drop_records(struct record_store *store);

/* store_records returns all records of a module, store_all_names all names, as contiguous memory
 * for the log. If they are in several windows, it is a copy that is never freed. Both return NULL
 * if out of memory. */
const char *store_records(const struct record_store *store, enum store_module module);
const char *store_all_names(const struct record_store *store);

#endif
