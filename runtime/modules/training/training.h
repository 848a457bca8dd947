/* Training: how long a program in PyTorch waits for data, and what the processes that make its
 * batches do. When Python loads a file of imports.def, such as that of PyTorch's DataLoader,
 * functions of it are replaced by C functions that call the original and read the clock before and
 * after. Each DataLoader has a record, and so have its first 64 epochs (iterations over it), the
 * rank of the process and each worker. */
#ifndef DARSHAN_TRAINING_H
#define DARSHAN_TRAINING_H

#include <stdint.h>

#include "../sites/sites.h"

/* 1 if the module is enabled, otherwise 0. */
extern uint32_t training_on __attribute__((visibility("hidden")));
/* WATCHED_BY_TRAINING once this module is notified of the events of new records, else 0. */
extern uint32_t training_watched __attribute__((visibility("hidden")));

int training_prepare(void);
void training_forked(void);

/* training_opened is called after each open of the program. If the path is that of a file in
 * imports.def, it requests Python to replace functions of the file's module soon after this call.
 * Preserves errno. training_name_is_opened is its slow path. */
void training_name_is_opened(const char *path);
static inline void training_opened(const char *path) {
  if (__builtin_expect(training_on, 1)) training_name_is_opened(path);
}

/* Sums over the batches that a thread made (fetches), and over parts of their time. Times are in
 * ticks unless stated otherwise. */
struct training_sums {
  /* time of all fetches, of the longest one, and within fetches: of joining the samples of a batch
   * (collate_fn), of transforms of samples */
  uint64_t fetch, longest, collate, transform;
  uint64_t open, read, write; /* time in calls on files */
  uint64_t processor, ready;  /* in nanoseconds; ready: ready to run, but without a processor */
  int64_t is_ready_unknown;   /* 1: `ready` is unknown */
  int64_t fetches, opens, bytes_read, faults; /* numbers; faults: major page faults */
  int64_t blocks;                             /* of 512 bytes, which the kernel read from storage */
};

/* The state of a thread. */
struct training_thread {
  uint64_t loader;              /* id of the loader that it begins to iterate over, 0: none */
  int64_t epoch;                /* number of the epoch that begins; 0: none */
  uint32_t fetches, transforms; /* nesting depth of calls of these kinds */
  uint64_t last_end;            /* end of its last call on a file, in ticks */
  struct training_sums sums;    /* sums that no record contains yet */
};
extern __thread struct training_thread training_thread
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Adds a call on a file, from t1 to t2 (ticks), to the sums of this thread, which makes a batch.
 * bytes_read: 0 for calls that do not read. Omits ticks that an earlier call has already
 * counted. */
void training_count_call(enum site_kind kind, int64_t bytes_read, uint64_t t1, uint64_t t2);

/* Like training_count_call, but does nothing if this thread is not making a batch. Called without
 * any lock, for events of watched records and for calls on files without a record. */
static inline void training_called(enum site_kind kind, int64_t bytes_read, uint64_t t1,
                                   uint64_t t2) {
  if (__builtin_expect(training_thread.fetches != 0, 0))
    training_count_call(kind, bytes_read, t1, t2);
}

/* --- for the files of this module -------------------------------------------------------- */

/* Settings of a DataLoader; -1: unknown. */
struct training_settings {
  int64_t workers, prefetch, persistent, batch_size;
};

/* How a call of __next__ ended: with a batch, with StopIteration at the end of the epoch, or with
 * another exception. */
enum training_outcome { GAVE_BATCH, GAVE_ALL, GAVE_ERROR };

/* Stores in training_thread.loader the id of the loader over which the running lines of Python
 * begin to iterate: processes that this thread forks from now on are its workers. Returns the
 * previous value, which the caller restores when the iteration has begun. */
uint64_t training_loader_begins(void);
/* Begins an epoch: makes the records of its loader, of the epoch and of the rank, and counts it.
 * iterator: address of the iterator that __iter__ returned, which identifies the epoch. t1, t2:
 * begin and end, in ticks, of the call of __iter__, whose fetches are in training_thread.sums. The
 * caller holds Python's lock (GIL). */
void training_epoch_began(const void *iterator, const struct training_settings *settings,
                          uint64_t t1, uint64_t t2);
/* Counts a call of __next__ on this iterator, from t1 to t2 (ticks), as a wait for data in the
 * records of the epoch, loader and rank, and the fetches in training_thread.sums. An unknown
 * iterator begins an epoch. Calls after GAVE_ALL are not counted. processor: processor time of the
 * thread in this call, in nanoseconds. The caller holds Python's lock (GIL). */
void training_epoch_went_on(const void *iterator, enum training_outcome outcome, uint64_t t1,
                            uint64_t t2, uint64_t processor);

/* A fetch in progress: values that were read at its begin. */
struct training_fetch {
  uint64_t t1, processor,
      files;     /* files: time in calls on files; all in ticks but processor (nanoseconds) */
  int64_t ready; /* nanoseconds; negative: unknown */
  int64_t faults, blocks; /* major page faults; blocks of 512 bytes read from storage */
};
/* Begin and end a fetch of this thread: a call that makes a batch. A fetch within another fetch is
 * part of that fetch. *fetch is filled in by training_fetch_begins. gave: 1 if the fetch made a
 * batch, otherwise 0. Preserve errno. */
void training_fetch_begins(struct training_fetch *fetch);
void training_fetch_ends(const struct training_fetch *fetch, int gave);
/* Makes the record of this process as the worker with this number (from 0) of the loader in
 * training_thread.loader, if it has none, and the record of its next epoch. Called when the worker
 * makes a fetcher, which it does once for each epoch. */
void training_is_worker(int64_t number);
/* Makes the POSIX and STDIO records of all files notify this module of their events from now on
 * (WATCHED_BY_TRAINING). */
void training_watch(void);

/* Returns the processor time of this thread in nanoseconds. */
uint64_t training_processor_time(void);

#endif
