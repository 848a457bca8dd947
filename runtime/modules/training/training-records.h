/* The records of this module, for the files that make and change them. */
#ifndef DARSHAN_TRAINING_RECORDS_OF_LOADERS_H
#define DARSHAN_TRAINING_RECORDS_OF_LOADERS_H

#include "../sites/sites-state.h"
#include "records.h"
#include "training.h"

enum training_kind {
  RECORD_OF_LOADER,
  RECORD_OF_EPOCH,
  RECORD_OF_RANK,
  RECORD_OF_WORKER,
  RECORD_OF_WORKERS_EPOCH
};

enum { LONGEST_EPOCHS = 64 /* number of a loader's first epochs that have records of their own */ };

/* The lock of all records of this module. It is never contended, because its callers hold Python's
 * lock (GIL). */
extern int training_lock __attribute__((visibility("hidden")));

/* Returns the number of the TRAINING record with this name, which is made if necessary, or
 * NO_RECORD if there is no space. Sets *is_new to 1 if the name had no record before, otherwise to
 * 0. The caller holds the store's lock. */
uint32_t training_record_of(const struct site_name *name, int *is_new);
struct darshan_training_record *
training_record_at(uint32_t number); /* NULL if the number is NO_RECORD */

/* Writes the name of the loader over which the program begins to iterate: "DataLoader" and the
 * Python lines of the current call, innermost first; lines that do not fit are left out. Runs on a
 * stack of the runtime. */
void training_name_loader(struct site_name *name);

/* Fills in the fields that new records of all kinds have in common. loader: id of the loader's
 * record. */
void training_fill(struct darshan_training_record *record, enum training_kind kind, uint64_t loader,
                   const struct training_settings *settings);

/* Adds the fetches (batches that were made, and their times) to the record; NULL: does nothing. The
 * caller holds training_lock. */
void training_add_fetches(struct darshan_training_record *record, const struct training_sums *sums);

/* Called in a forked child: forgets that this process is a worker, and its fetches so far. */
void training_worker_forked(void);

#endif
