/* The engine interface: all functions and data of the engine that a module may use, for the process
 * lifecycle, records, settings and the log. Modules include no other header of job/, log/ and
 * records/ (doc/architecture.md, "The door"). */
#ifndef DARSHAN_DOOR_H
#define DARSHAN_DOOR_H

#include "counting/clock.h"
#include "intercept/floats.h"
#include "intercept/guard.h"
#include "intercept/spin.h"
#include "log-format.h"
#include "memory/scratch.h"
#include "memory/segments.h"
#include "names/folder-hash.h"
#include "names/path-buffers.h"
#include "store-modules.h"

/* The state of this process, which decides how it treats events. Only RUNTIME_RECORDING takes the
 * fast path of runtime_enter; runtime_enter_slow handles the others. Both return 1 if the caller
 * must count the event, 0 if it must change no table. */
enum runtime_phase {
  RUNTIME_OFF,
  RUNTIME_READY,     /* no record exists yet */
  RUNTIME_PREPARING, /* a thread allocates the memory for records */
  RUNTIME_RECORDING,
  RUNTIME_FINISHED,
  RUNTIME_SHARED /* recording, but another process may share this memory (clone.c) */
};

/* The variables that every wrapper reads, packed into as few cache lines as possible. */
struct darshan_hot {
  uint32_t
      fd_limit; /* RUNTIME_FDS while the process is instrumented, else 0: wrappers only forward */
  struct fd_entry *fds; /* table of the POSIX module, by descriptor */
  const uint32_t
      *phase_page; /* points to an enum runtime_phase; the kernel zeroes it in a forked child */
  struct darshan_clock clock;
};
extern struct darshan_hot darshan_hot __attribute__((visibility("hidden"), aligned(64)));

static inline uint32_t runtime_phase(void) {
  return __atomic_load_n(darshan_hot.phase_page, __ATOMIC_RELAXED);
}
/* Called by runtime_enter if its quick check fails; returns what it returns. frame: the caller's
 * frame, to tell an interrupted update from one that a jump left. */
int runtime_enter_slow(const char *frame);
static inline int runtime_enter(void) {
  if (LIKELY(darshan_guard == 0 && runtime_phase() == RUNTIME_RECORDING)) {
    darshan_guard = guard_busy(__builtin_frame_address(0));
    floats_take(&darshan_floats);
    COMPILER_FENCE();
    return 1;
  }
  return runtime_enter_slow(__builtin_frame_address(0));
}
/* Ends an abandoned update without restoring the floating-point state that the update saved,
 * because the code that runs now has its own state. */
static inline void runtime_let_go(void) {
  guard_let_go();
}
static inline void runtime_leave(void) {
  floats_give(&darshan_floats);
  runtime_let_go();
}
/* Enters the runtime like runtime_enter, and also takes the lock of a record. Returns 1. Returns 0,
 * without the lock, if the event must not be counted. */
static inline int record_lock(int *lock) {
  if (!runtime_enter()) return 0;
  if (LIKELY(spin_lock(SPIN_RECORD, lock))) return 1;
  runtime_leave();
  return 0;
}
static inline void record_unlock(int *lock) {
  spin_unlock(lock);
  runtime_leave();
}

int fd_may_change(void);        /* 1: this thread may change tables; 0: it is a vfork child */
int runtime_is_new_child(void); /* 1: a forked child that has recorded nothing yet */
/* runtime_lost_event notes for the log that an event was dropped (of_another_process: 1 if the
 * event is of a process that shares this memory). runtime_lost_part notes that a module has no
 * memory for part of its data. */
void runtime_lost_event(int of_another_process);
void runtime_lost_part(void);
/* Counts, for the log, a file, id or request whose calls are not recorded because a table is
 * full. */
void runtime_table_full(void);
/* Returns zeroed memory; NULL if out of memory, which is noted like runtime_lost_part. */
void *runtime_module_memory(size_t size);
void runtime_has_traces(void); /* notes that the process has traces, which a journal cannot hold */

/* --- time: ticks around a call, seconds since the start --------------------------------- */

/* Returns the time in ticks of the processor's counter, or of the kernel's clock (clock.h). */
static inline uint64_t ticks_now(void) {
  return clock_ticks(&darshan_hot.clock);
}
static inline uint64_t ticks_after(uint64_t t1) { /* never before t1 */
  return clock_ticks_after(&darshan_hot.clock, t1);
}
void runtime_refit(void); /* refits the clock */
static inline void ticks_passed(uint64_t t2) {
  if (UNLIKELY(t2 >= __atomic_load_n(&darshan_hot.clock.refit_at, __ATOMIC_RELAXED)))
    runtime_refit();
}
static inline struct clock_span ticks_span(uint64_t t1, uint64_t t2) {
  ticks_passed(t2);
  return clock_span(&darshan_hot.clock, t1, t2);
}

/* --- records, by id and by number -------------------------------------------------------- */

struct record_store;
extern struct record_store darshan_store __attribute__((visibility("hidden")));
enum { NO_RECORD = 0 };
struct store_entry { /* a name in the store, and its record in each module */
  uint64_t id;
  const char *name; /* NULL until it is known */ /* NULL until it is known */
  uint32_t name_length;
  uint32_t record[STORE_MODULES]; /* record numbers; NO_RECORD: none in that module */
  uint32_t file;                  /* index of the file's state in the POSIX module, 0: none */
  uint32_t lustre;                /* number of the file's LUSTRE record, 0: none */
};
struct store_fill { /* number of records of a module, and the largest allowed number */
  uint32_t count, limit;
  uint32_t overflow; /* number of the overflow record, NO_RECORD: none yet */
};

/* A module calls these functions while it prepares. store_beside registers a table of the module
 * whose index is the record number; the items of its first table begin with the record's lock, an
 * int. store_guard registers another lock under which records change. inner: 1 if that lock is
 * taken while a record's lock is held. */
void store_beside(struct record_store *store, enum store_module module, struct segments *table);
void store_guard(struct record_store *store, int *lock, int inner);

/* store_lock takes the store's lock. Returns 1, or 0 if the lock is not available and the event is
 * dropped (spin.h). store_lock_for first reserves space; it is for callers that may add a record of
 * this module and hold no other lock. record_make_room only reserves that space, for callers that
 * then lock a record, and the store under that lock. */
__attribute__((warn_unused_result)) int store_lock(struct record_store *store);
__attribute__((warn_unused_result)) int store_lock_for(struct record_store *store,
                                                       enum store_module module);
void store_unlock(struct record_store *store);
void store_unlock_for(struct record_store *store, enum store_module module);
void record_make_room(enum store_module module);

/* These functions need no lock. store_find returns the entry of an id, or NULL. store_record
 * returns the address of the record with a number. store_fill returns the number of records of a
 * module and its limit. store_rank returns the rank of new records. store_is_empty returns 1 if the
 * store has no entry. */
struct store_entry *store_find(const struct record_store *store, uint64_t id);
void *store_record(const struct record_store *store, enum store_module module, uint32_t number);
struct store_fill store_fill(const struct record_store *store, enum store_module module);
int64_t store_rank(const struct record_store *store);
int store_is_empty(const struct record_store *store);
/* The caller of these functions holds the store's lock. store_is_full and store_names_are_full
 * return 1 if the module, or the table of names, has reached its limit. store_record_room returns 1
 * if there is space for the given number of further records. store_enter returns the entry of an
 * id, which it adds if needed, or NULL; name may be NULL and follow later. store_next_record
 * returns the memory of the module's next new record, or NULL if there is no space. A caller fills
 * this memory before the record counts, so an interrupted caller leaves no incomplete record. The
 * last functions return the number of a record, or NO_RECORD if there is no space: store_new_record
 * of a new record for the entry, store_overflow_record of the overflow record, store_record_number
 * of the entry's record or else the overflow record. */
int store_is_full(const struct record_store *store, enum store_module module);
int store_record_room(struct record_store *store, enum store_module module, uint32_t records);
int store_names_are_full(const struct record_store *store);
void *store_next_record(struct record_store *store, enum store_module module);
struct store_entry *store_enter(struct record_store *store, uint64_t id, const char *name,
                                size_t length);
uint32_t store_new_record(struct record_store *store, enum store_module module,
                          struct store_entry *entry);
uint32_t store_overflow_record(struct record_store *store, enum store_module module);
uint32_t store_record_number(struct record_store *store, enum store_module module,
                             struct store_entry *entry);
/* Returns the number of the module's record with this id, and adds it if necessary, with the name
 * of `length` bytes. If the table is full, returns the number of the overflow record and does not
 * store the name. Returns NO_RECORD if there is no space. */
uint32_t store_number_of_name(struct record_store *store, enum store_module module, uint64_t id,
                              const char *name, size_t length);
/* The caller holds the store's lock. store_tree returns the program tree whose record a file of
 * this name shares, or NULL if the file is not part of a tree. store_group returns the group whose
 * record the file shares once the module has no more records, or NULL if out of memory.
 * store_count_member counts a file of the group (is_new: 1 if the file was not seen before, 0 if it
 * was, STORE_MAY_BE_NEW if unknown). store_record_of returns the number of the file's own record or
 * of its group's record, and stores the entry that has this record. */
enum { STORE_MAY_BE_NEW = -1 };
struct store_entry *store_tree(struct record_store *store, enum store_module module,
                               const char *name, size_t length, struct name_folder folder);
struct store_entry *store_group(struct record_store *store, enum store_module module,
                                const char *name, size_t length, struct name_folder folder);
void store_count_member(struct record_store *store, const struct store_entry *group, uint64_t id,
                        int is_new);
uint32_t store_record_of(struct record_store *store, enum store_module module, const char *name,
                         size_t length, uint64_t id, struct store_entry **entry);
/* Transfers the record of `from` to `to`. Returns 1, or 0 if `from` has no record of its own or
 * `to` has one already. */
int store_pass_record(struct record_store *store, enum store_module module,
                      struct store_entry *from, struct store_entry *to);

/* Notes that this process uses fcntl locks. From then on the runtime must not close a descriptor of
 * a locked file, because the process would lose its locks. */
void runtime_locks(void);

/* --- settings, and the log --------------------------------------------------------------- */

/* The settings are those of the configuration file and of variables. A function with the name of a
 * question returns 1 for yes, otherwise 0. name_in_folder_is_excluded answers like
 * name_is_excluded, and is faster, because the caller passes the name's folder. name: of a file, of
 * `length` bytes. */
int module_is_on(int module_id);
uint32_t module_limit(int module_id); /* in records; for the DXT modules in KiB */
int name_is_excluded(int module_id, const char *name, size_t length);
int name_in_folder_is_excluded(int module_id, const char *name, size_t length,
                               struct name_folder folder);
int64_t mem_alignment(void);     /* bytes, at least 1 */
int hdf5_storage_is_asked(void); /* record where the data of a dataset are stored? */
int sites_are_asked(void);       /* count calls by the stack that made them? */
/* Returns the rank from a launcher's variables; -1: no launcher, or one process. */
int64_t launched_rank(void);
int page_faults_are_asked(void); /* sample the addresses of page faults? */
int trace_threads_are_asked(void);
int trace_threads_are_written(void); /* trace_threads_are_asked was set for all ranks */
void trace_triggers(double *small_io,
                    double *unaligned_io); /* fractions of a file's accesses; negative: off */
struct log_content;
/* Adds data to the log that are not records of the store, or are not in the log's layout. bytes
 * must stay valid until the log is composed. partial: 1 marks the module as incomplete in the log.
 * compressed: 1 if bytes are zlib streams already. Does nothing if length is 0. */
void log_add_part(struct log_content *content, int module_id, uint32_t version, const char *bytes,
                  size_t length, int partial, int compressed);
size_t log_compress_bound(size_t n);
size_t log_compress_part(const void *in, size_t n, void *out,
                         size_t room); /* returns 0 if out is too small */

struct sigaction;
/* Called after the application has set or queried the action of a signal. Replaces the runtime's
 * action of SIGBUS in the results (*old, or the returned handler) by the application's own
 * (without-journal.h). torn_action_set does nothing for another signal, or if result, that of the
 * call, is not 0. */
void torn_action_set(int result, int signal, const struct sigaction *action, struct sigaction *old);
void (*torn_handler_set(int signal, void (*before)(int)))(int);

#endif
