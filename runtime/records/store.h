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

#include "../door/door.h"
#include "../memory/segments.h"
#include "base-record.h"
#include "journal.h"
#include "log-format.h"

/* A part of the journal, which fills from its start.  Bytes are counted from there. */
struct store_part {
  size_t start, end; /* offsets in the file */
  size_t mapped;     /* there are windows up to here */
  size_t usable;     /* may be touched up to here */
  size_t kept;       /* is in the file up to here */
  size_t reserved;   /* offset of the first page that has no room in the file */
  int in_memory;     /* what was mapped last is private memory */
};

/* What is known of a folder: the tree that its program files belong to, or NULL. */
enum { STORE_FOLDERS = 512 };
struct store_folder {
  uint64_t hash;
  struct store_entry *tree;
};

enum { STORE_BESIDE = 3, STORE_WINDOWS = 24, STORE_GUARDS = 8 };

/* What the records are of: files, something that few processes have (so that its room is
 * not taken from that of files), a layer as a whole (they are trimmed for the log), or
 * they go with records of the log. */
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
  uint32_t limit;    /* records, those that many files share not counted */
  uint32_t room;     /* records that the region has room for, those as well */
  uint32_t count;    /* records there are */
  uint32_t overflow; /* number of the overflow record, NO_RECORD: none yet */
  uint32_t groups;   /* records beside the limit that many files share, the overflow not counted */
  int folded;        /* files are past the limit ... */
  int cut;           /* ... which would be higher if there were more of MODMEM */
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
  int lock;                /* for adding; looking up needs none */
  int changing;            /* by the owner of the lock; set when it is taken: repair is due */
  int64_t rank;            /* that new records get */
  uint32_t trees, folders; /* groups that were made */
  struct store_entry *last_group;            /* of a folder, that was asked for last, or NULL ... */
  struct name_folder last_folder;            /* ... and the folder that its name begins with */
  struct store_folder folder[STORE_FOLDERS]; /* last, since few processes touch it */
};

struct store_limits {
  uint64_t name_bytes, module_bytes;
  uint32_t records[STORE_MODULES];
  int asked[STORE_MODULES]; /* 1: somebody asked for so many, which have room beside module_bytes */
};

/* Computes the layout; no record's memory is mapped yet.  0, or -1: no memory. */
int store_prepare(struct record_store *store, const struct store_shape shapes[STORE_MODULES],
                  const struct store_limits *limits);
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

/* Recording has ended: an entry whose name has not come has an empty one. */
void store_name_rest(struct record_store *store);

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
/* With the lock held: from now on a module has at most so many records. */
void store_lower_limit(struct record_store *store, enum store_module module, uint32_t limit);
/* There are no records any more, though threads may still be writing to some. */
void store_drop_records(struct record_store *store);

/* For the log: all records of a module, all names, one behind the other; where they
 * lie apart, in memory that is not given back.  NULL: no memory. */
const char *store_records(const struct record_store *store, enum store_module module);
const char *store_all_names(const struct record_store *store);

#endif
