/* All records of this process, by module and by name.  The records and their
 * names live in the journal, in the layout of a log; what finds them, and the
 * state that a log does not hold, in private memory of fixed size. */
#ifndef DARSHAN_STORE_H
#define DARSHAN_STORE_H

#include <stdint.h>

#include "../log/journal.h"
#include "log-format.h"
#include "records.h"

/* The modules that keep records at run time. */
enum store_module {
  STORE_POSIX,
  STORE_MPIIO,
  STORE_H5F,
  STORE_H5D,
  STORE_PNETCDF_FILE,
  STORE_PNETCDF_VAR,
  STORE_STDIO,
  STORE_HEATMAP, /* of the log, in the order of their ids; from here on, the annex */
  STORE_POSIX_EXT,
  STORE_H5_META,
  STORE_LAYERS,
  STORE_MPIIO_EXT,
  STORE_MODULES,
  STORE_FIRST_ANNEX = STORE_POSIX_EXT
};

#define OVERFLOW_NAME "<overflow>"       /* stands for all files past the limit */
#define OTHER_PATHS_NAME "<other paths>" /* operations on files without a record */

enum { NO_RECORD = 0 }; /* record numbers start at 1 */

struct store_region {
  int module_id;
  uint32_t version; /* of the record */
  uint32_t record_size;
  uint32_t limit;    /* records, the overflow record not counted */
  uint32_t count;    /* records there are */
  uint32_t overflow; /* number of the overflow record, NO_RECORD: none yet */
  uint64_t refused;  /* names that had to share the overflow record */
  struct journal_part part;
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

struct record_store {
  struct journal journal;
  struct journal_part names;
  uint64_t names_used;
  struct store_region regions[STORE_MODULES];
  int annex_ready;           /* its frame is written */
  struct store_entry *entry; /* [1..], in the order in which the names came */
  uint32_t *index;           /* of entries, by id: open addressing, never more than half full */
  uint32_t index_mask;
  uint32_t entries;
  int lock;     /* for adding; looking up needs none */
  int64_t rank; /* that new records get */
};

struct store_limits {
  uint64_t name_bytes, module_bytes;
  uint32_t records[STORE_MODULES];
};

/* Computes the layout; nothing is mapped yet.  0, or -1 if memory is short. */
int store_prepare(struct record_store *store, const struct store_limits *limits);
/* Maps the journal (its path is set) and writes the frame of a log. */
int store_map(struct record_store *store, const struct darshan_job *job, const char *job_text,
              size_t job_text_length);
/* Forgets all records, for a forked child: the next are its own. */
void store_forget(struct record_store *store);

/* For a process that turns out to be a rank, with the lock held: all records,
 * and those to come, are this rank's; the job as the journal holds it. */
void store_set_rank(struct record_store *store, int64_t rank);
void store_set_job(struct record_store *store, const struct darshan_job *job);
/* There are no records any more, though threads may still be writing to some. */
void store_drop_records(struct record_store *store);

void store_lock(struct record_store *store);
void store_unlock(struct record_store *store);

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
  const struct store_region *region = &store->regions[module];
  return store->journal.base + region->part.start + (size_t)(number - 1) * region->record_size;
}

#endif
