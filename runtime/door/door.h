/* The door between modules and engine: all that a module may know of start and end, of
 * records, settings and the log.  The engine implements it; modules include nothing else of
 * job/, log/ and records/ (doc/architecture.md, "The door"). */
#ifndef DARSHAN_DOOR_H
#define DARSHAN_DOOR_H

#include "counting/clock.h"
#include "intercept/floats.h"
#include "intercept/inside.h"
#include "intercept/spin.h"
#include "log-format.h"
#include "memory/scratch.h"
#include "memory/segments.h"
#include "names/folder-hash.h"
#include "names/path-buffers.h"
#include "store-modules.h"

/* --- enter and leave: 1 to count an event, 0 to leave all tables alone ------------------ */
enum runtime_phase {
  RUNTIME_OFF,
  RUNTIME_READY,     /* nothing was recorded yet */
  RUNTIME_PREPARING, /* a thread makes the memory for records */
  RUNTIME_RECORDING,
  RUNTIME_FINISHED,
  RUNTIME_SHARED /* recording, but another process may be in this memory (clone.c) */
};

/* What every wrapper reads, in as few cache lines as hold it. */
struct darshan_hot {
  uint32_t fd_limit;          /* RUNTIME_FDS while instrumenting, else 0: only forward */
  struct fd_entry *fds;       /* what a descriptor stands for */
  const uint32_t *phase_page; /* enum runtime_phase; the kernel wipes it in a fork's child */
  struct darshan_clock clock;
};
extern struct darshan_hot darshan_hot __attribute__((visibility("hidden"), aligned(64)));

static inline uint32_t runtime_phase(void) {
  return __atomic_load_n(darshan_hot.phase_page, __ATOMIC_RELAXED);
}
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
/* What an update that was left for good held: whoever comes after it has a floating-point
 * state of its own. */
static inline void runtime_let_go(void) {
  guard_let_go();
}
static inline void runtime_leave(void) {
  floats_give(&darshan_floats);
  runtime_let_go();
}
static inline int record_lock(int *lock) { /* runtime_enter, and the lock of a record */
  if (!runtime_enter()) return 0;
  if (LIKELY(spin_lock(SPIN_RECORD, lock))) return 1;
  runtime_leave();
  return 0;
}
static inline void record_unlock(int *lock) {
  spin_unlock(lock);
  runtime_leave();
}

int fd_may_change(void); /* 1: this thread may change tables; 0: the child of a vfork */
/* What the log says is missing: an event; part of what a module keeps, for want of memory. */
void runtime_lost_event(int of_another_process); /* that shares this memory */
void runtime_lost_part(void);
/* A table has no place for a file, an id or a request: calls on it do not count. */
void runtime_table_full(void);
void *runtime_module_memory(size_t size); /* zeroed, for more than records; NULL, and said */
void runtime_has_traces(void);            /* which no journal has */

/* --- time: ticks around a call, seconds since the start --------------------------------- */
static inline uint64_t ticks_now(void) {
  return clock_ticks(&darshan_hot.clock);
}
static inline uint64_t ticks_after(uint64_t t1) { /* when what began at t1 has ended */
  return clock_ticks_after(&darshan_hot.clock, t1);
}
void runtime_refit(void); /* keeps the clock fitted */
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
struct store_entry { /* what is known of a name */
  uint64_t id;
  const char *name;
  uint32_t name_length;
  uint32_t record[STORE_MODULES]; /* numbers */
  uint32_t file;                  /* state of the POSIX module, 0: none */
  uint32_t lustre;                /* number of its LUSTRE record, 0: none */
};
struct store_fill { /* how many records of a module there are, of how many */
  uint32_t count, limit;
  uint32_t overflow; /* number of the overflow record, NO_RECORD: none yet */
};

/* To prepare: a table by record number (items of a module's first begin with the record's
 * lock); another lock under which records change (inner: taken by who has a record's). */
void store_beside(struct record_store *store, enum store_module module, struct segments *table);
void store_guard(struct record_store *store, int *lock, int inner);

/* 1, or 0: lost (spin.h).  _for: a record of this module may have to be made, and no other
 * lock is held; record_make_room: one is about to be taken, and store_lock under it. */
__attribute__((warn_unused_result)) int store_lock(struct record_store *store);
__attribute__((warn_unused_result)) int store_lock_for(struct record_store *store,
                                                       enum store_module module);
void store_unlock(struct record_store *store);
void store_unlock_for(struct record_store *store, enum store_module module);
void record_make_room(enum store_module module);

/* No lock: the entry of an id, or NULL; a record by its number; the rank of new ones. */
struct store_entry *store_find(const struct record_store *store, uint64_t id);
void *store_record(const struct record_store *store, enum store_module module, uint32_t number);
struct store_fill store_fill(const struct record_store *store, enum store_module module);
int64_t store_rank(const struct record_store *store);
/* With it: is there room; the entry, made if need be, or NULL (name NULL: later); a new record,
 * that of the overflow, that of an entry or else of the overflow (NO_RECORD: none is left). */
int store_is_full(const struct record_store *store, enum store_module module);
int store_record_room(struct record_store *store, enum store_module module, uint32_t records);
int store_names_are_full(const struct record_store *store);
struct store_entry *store_enter(struct record_store *store, uint64_t id, const char *name,
                                size_t length);
uint32_t store_new_record(struct record_store *store, enum store_module module,
                          struct store_entry *entry);
uint32_t store_overflow_record(struct record_store *store, enum store_module module);
uint32_t store_record_number(struct record_store *store, enum store_module module,
                             struct store_entry *entry);
/* The last of what a name stands for, which is not kept where there is no room for a record. */
uint32_t store_number_of_name(struct record_store *store, enum store_module module, uint64_t id,
                              const char *name, size_t length);
/* The group whose record a file of this name shares: as program of a tree (NULL: it does not),
 * or past the limit (NULL: no memory); one of its files was met, for the first time (1) or again;
 * a file's own record or that of its group, and whose it is. */
enum { STORE_MAY_BE_NEW = -1 };
struct store_entry *store_tree(struct record_store *store, enum store_module module,
                               const char *name, size_t length, struct name_folder folder);
struct store_entry *store_group(struct record_store *store, enum store_module module,
                                const char *name, size_t length, struct name_folder folder);
void store_count_member(struct record_store *store, const struct store_entry *group, uint64_t id,
                        int is_new);
uint32_t store_record_of(struct record_store *store, enum store_module module, const char *name,
                         size_t length, uint64_t id, struct store_entry **entry);
/* What was `from`'s record is `to`'s, which had none: 1, or 0. */
int store_pass_record(struct record_store *store, enum store_module module,
                      struct store_entry *from, struct store_entry *to);

/* This process asks for a lock of fcntl, which it would lose if we closed a file of its. */
void runtime_locks(void);

/* --- the job's facts, and the log -------------------------------------------------------- */
int module_is_on(int module_id);
uint32_t module_limit(int module_id); /* records; KiB for the DXT modules */
int name_is_excluded(int module_id, const char *name, size_t length);
int name_in_folder_is_excluded(int module_id, const char *name, size_t length,
                               struct name_folder folder);
int64_t mem_alignment(void);     /* bytes, at least 1 */
int hdf5_storage_is_asked(void); /* where do data of a dataset lie, when it closes? */
int trace_threads_are_asked(void);
int trace_threads_are_written(void);                         /* asked for by all ranks of the job */
void trace_triggers(double *small_io, double *unaligned_io); /* fractions; negative: off */
struct log_content;
/* What is not in the store, or not as the log has it; compressed: zlib streams already. */
void log_add_part(struct log_content *content, int module_id, uint32_t version, const char *bytes,
                  size_t length, int partial, int compressed);
size_t log_compress_bound(size_t n);
size_t log_compress_part(const void *in, size_t n, void *out, size_t room); /* 0: too little room */

/* After the program has set, or asked for, what a signal does: it sees its own (torn.h). */
struct sigaction;
void torn_action_set(int result, int signal, const struct sigaction *action, struct sigaction *old);
void (*torn_handler_set(int signal, void (*before)(int)))(int);

#endif
