/* All records of this process, by module and by name.  The records and their
 * names live in the journal, in the layout of a log; what finds them, and the
 * state that a log does not hold, in private memory.
 *
 * Records begin in private memory, laid out like the file, and the file takes them
 * over when it is there (store_keep): nobody waits for a file system meanwhile, and
 * a process may well stay without a file until it turns out to be a rank.  Both
 * kinds of memory grow by windows of their own.  Room in the file is made by
 * whoever asks for it, without any lock (store_make_room); who finds none, because
 * the file system is slow, full or at the program's own limit, takes memory. */
#ifndef DARSHAN_STORE_H
#define DARSHAN_STORE_H

#include <stdint.h>

#include "../memory/segments.h"
#include "base-record.h"
#include "journal.h"
#include "log-format.h"

/* The modules that keep records at run time: those of the log, then the annex. */
enum store_module {
#define RECORDS(SYMBOL, type, of, limit) STORE_##SYMBOL,
#include "modules.def"
  STORE_FIRST_ANNEX,
  STORE_LAST_OF_LOG = STORE_FIRST_ANNEX - 1,
#define ANNEX_RECORDS(SYMBOL, type, limit) STORE_##SYMBOL,
#include "modules.def"
  STORE_MODULES
};

#define OVERFLOW_NAME "<overflow>"       /* stands for all files past the limit */
#define OTHER_PATHS_NAME "<other paths>" /* operations on files without a record */

enum { NO_RECORD = 0 }; /* record numbers start at 1 */

/* A part of the journal, which fills from its start.  Bytes are counted from there. */
struct store_part {
  size_t start, end; /* offsets in the file */
  size_t mapped;     /* there are windows up to here */
  size_t usable;     /* may be touched up to here */
  size_t kept;       /* is in the file up to here */
  size_t reserved;   /* offset of the first page that has no room in the file */
  int in_memory;     /* what was mapped last is private memory */
};

enum { STORE_BESIDE = 3, STORE_WINDOWS = 24, STORE_GUARDS = 8 };

/* What the records are of: files, a layer as a whole (they are trimmed for the log),
 * or they go with records of the log. */
enum store_of { STORE_OF_FILES, STORE_OF_LAYERS, STORE_OF_ANNEX };

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
  uint32_t limit;    /* records, the overflow record not counted */
  uint32_t count;    /* records there are */
  uint32_t overflow; /* number of the overflow record, NO_RECORD: none yet */
  uint64_t refused;  /* names that had to share the overflow record */
  /* Who got the last number.  It may be larger than count: then the thread that made
   * the record was torn from it. */
  const struct store_entry *newest;
  struct store_part part;
  struct segments records;               /* item 0 is record 1 */
  struct segments *beside[STORE_BESIDE]; /* a module's own, by record number */
  uint32_t held;                         /* records whose lock store_keep has taken */
  struct darshan_annex_block *block;     /* in the file, before the records; or NULL */
};

/* A name never lies in two windows; windows may show the same page. */
struct store_names {
  struct store_part part;
  uint64_t used;
  uint32_t windows;
  struct store_window {
    uint64_t from; /* this and what follows, up to the next window, is in it */
    char *at;      /* where that is */
    size_t memory; /* from here on it is private memory, though there is a file */
  } window[STORE_WINDOWS];
};

/* What is known of a name; found by id. */
struct store_entry {
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t record[STORE_MODULES];
  uint32_t file;   /* state of the POSIX module, 0: none */
  uint32_t lustre; /* number of its LUSTRE record, 0: none */
};

struct store_index { /* of entries, by id: open addressing, never more than half full */
  uint32_t mask;     /* or, where there is no memory, never more than 7/8 */
  uint32_t place[];
};

struct record_store {
  struct journal journal;
  char *frame; /* header and job; the first names follow.  NULL: nothing is recorded */
  struct store_names names;
  struct store_region regions[STORE_MODULES];
  int annex_ready;       /* its frame is written */
  uint32_t wanted;       /* a bit per part that is short of room in the file */
  int growing;           /* a thread makes room in the file */
  int closed;            /* recording has ended: no file is made any more */
  int unrecorded;        /* there was no memory for a record, nor for the overflow's */
  struct segments entry; /* [1..], in the order in which the names came */
  struct store_index *index;
  uint32_t entries;
  int *guards[2][STORE_GUARDS]; /* outer, inner */
  int guards_held[2];
  int lock;     /* for adding; looking up needs none */
  int changing; /* by the owner of the lock; set when it is taken: repair is due */
  int64_t rank; /* that new records get */
};

struct store_limits {
  uint64_t name_bytes, module_bytes;
  uint32_t records[STORE_MODULES];
};

/* Computes the layout; no record's memory is mapped yet.  0, or -1: no memory. */
int store_prepare(struct record_store *store, const struct store_shape shapes[STORE_MODULES],
                  const struct store_limits *limits);
/* A table by record number that is to grow with the records of a module.  The items
 * of a module's first begin with the lock under which its records are changed. */
void store_beside(struct record_store *store, enum store_module module, struct segments *table);
/* Another lock under which records are changed; inner: one that is taken by a thread
 * which has that of a record. */
void store_guard(struct record_store *store, int *lock, int inner);
/* Records may be made from now on, in private memory.  0, or -1: no memory. */
int store_begin(struct record_store *store);
/* The job as the journal holds it; job_text NULL: as it was. */
void store_set_job(struct record_store *store, const struct darshan_job *job, const char *job_text,
                   size_t job_text_length);

/* Gives all records a file (journal.path is set), which is a log from then on;
 * also anew, when the one before was removed.  No lock is held; other threads go on
 * counting meanwhile.  0, or -1: they stay where they are. */
int store_keep(struct record_store *store);

/* Writes what there is, as the log that a journal is, into another, empty file, while
 * other threads go on counting; no lock is held meanwhile.  0 or -1. */
int store_snapshot(struct record_store *store, int fd);

/* With no lock held: makes room in the file, if that is short, for a record of this
 * module and for names. */
void store_make_room_slow(struct record_store *store, enum store_module module);
/* What is asked without the lock: who reads it too late makes room a little later. */
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

/* 1: a name of usual length was refused by NAMEMEM, not for want of memory. */
int store_names_are_full(const struct record_store *store);

/* While memory can still be had: what another record of this module needs, that of the
 * overflow at least. */
void store_set_aside(struct record_store *store, enum store_module module);

/* Takes what had to go to memory meanwhile into the file, as far as there is room for
 * it and for the overflow behind it.  No lock is held.  1: so it is, and `then` was called
 * before that could change, and returned 1: while it returns 0 others are waited for.
 * Returns 0 after some ten seconds, or if there is no room. */
int store_bring_back(struct record_store *store, int (*then)(void));

/* What the file holds of the records, as it is now: looked up, so that what is said
 * of it is true.  STORE_UNSEEN: the file could not be looked at. */
enum store_kept { STORE_LOST, STORE_UNSEEN_PARTLY, STORE_UNSEEN, STORE_KEPT_PARTLY, STORE_KEPT };
enum store_kept store_kept(const struct record_store *store);

/* Forgets all records, for a forked child: the next are its own. */
void store_forget(struct record_store *store);

/* For a process that turns out to be a rank, with the lock held: all records,
 * and those to come, are this rank's. */
void store_set_rank(struct record_store *store, int64_t rank);
/* There are no records any more, though threads may still be writing to some. */
void store_drop_records(struct record_store *store);

/* For the log: all records of a module, all names, one behind the other; where they
 * lie apart, in memory that is not given back.  NULL: no memory. */
const char *store_records(const struct record_store *store, enum store_module module);
const char *store_all_names(const struct record_store *store);

/* 1, or 0: whoever has it does not go on (intercept/spin.h), and the event is counted
 * as lost.  store_lock_for: when a record of this module may have to be made, and no
 * other lock is held. */
__attribute__((warn_unused_result)) int store_lock(struct record_store *store);
void store_unlock(struct record_store *store);
__attribute__((warn_unused_result)) static inline int store_lock_for(struct record_store *store,
                                                                     enum store_module module) {
  store_make_room(store, module);
  return store_lock(store);
}

/* Of a lock by store_lock_for: what went to memory meanwhile need not wait there for the
 * next record, which may never come. */
static inline void store_unlock_for(struct record_store *store, enum store_module module) {
  store_unlock(store);
  store_make_room(store, module);
}

/* The entry of an id, NULL if it is not known.  Needs no lock. */
struct store_entry *store_find(const struct record_store *store, uint64_t id);

/* With the lock held: the entry of this id, made if necessary; NULL when there
 * is no room for its name. */
struct store_entry *store_enter(struct record_store *store, uint64_t id, const char *name,
                                size_t length);
/* With the lock held: number of a new record of this module for the entry, or
 * NO_RECORD when the module is at its limit. */
uint32_t store_new_record(struct record_store *store, enum store_module module,
                          struct store_entry *entry);
/* With the lock held: number of the overflow record; NO_RECORD: no memory. */
uint32_t store_overflow_record(struct record_store *store, enum store_module module);
/* With the lock held: number of the entry's record of this module, made if
 * necessary; that of the overflow record where there is no room, or no entry
 * (NULL).  NO_RECORD: no memory. */
uint32_t store_record_number(struct record_store *store, enum store_module module,
                             struct store_entry *entry);

static inline void *store_record(const struct record_store *store, enum store_module module,
                                 uint32_t number) {
  return segments_at(&store->regions[module].records, number - 1);
}

/* That of this process. */
extern struct record_store darshan_store __attribute__((visibility("hidden")));

#endif
