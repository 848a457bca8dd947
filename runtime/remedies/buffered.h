/* Descriptors whose small reads or writes a remedy carries out in a buffer, and lists of files.
 * Used by read-ahead and join-writes. */
#ifndef DARSHAN_REMEDIES_BUFFERED_H
#define DARSHAN_REMEDIES_BUFFERED_H

#include <sys/stat.h>

#include "../intercept/guard.h"
#include "../intercept/sys/sys.h"
#include "remedies.h"

enum {
  DESCRIPTORS = 1024,
  BUFFERS = 64, /* largest number of descriptors with a buffer, for each remedy */
  SMALL =
      64
      << 10, /* bytes of the largest transfer that uses the buffer; larger ones go to the kernel */
};

struct file_id {
  dev_t device;
  ino_t inode;
};

/* A remedy's state of a descriptor; the index in the remedy's table is the descriptor. */
struct buffered {
  int lock;      /* 1: taken (buffered_lock) */
  int begun;     /* result of guard_begin in the lock holder; while the lock is held, signals are
                    delayed */
  int is_served; /* 1: small reads or writes of the descriptor use the buffer */
  struct file_id file;
  char *buffer; /* stays allocated for the next file with this descriptor */
};

static inline void buffered_lock(struct buffered *one) {
  int begun = guard_begin();
  while (__atomic_exchange_n(&one->lock, 1, __ATOMIC_ACQUIRE))
    SYS1(SYS_sched_yield, 0);
  one->begun = begun;
}

static inline void buffered_unlock(struct buffered *one) {
  int begun = one->begun;
  __atomic_store_n(&one->lock, 0, __ATOMIC_RELEASE);
  guard_end(begun);
}

/* Locks the descriptor if the remedy serves it, that is, if its small reads or writes use the
 * buffer. Returns 1 with the lock held (buffered_unlock), or 0 without the lock. */
static inline int buffered_take(struct buffered *one) {
  if (!__atomic_load_n(&one->is_served, __ATOMIC_ACQUIRE)) return 0;
  buffered_lock(one);
  if (one->is_served) return 1; /* another thread may have stopped serving it in the meantime */
  buffered_unlock(one);
  return 0;
}

/* Makes the remedy serve a descriptor: its small reads or writes use the buffer from now on. The
 * caller holds the lock and has allocated the buffer (buffered_has_buffer). */
static inline void buffered_serve(struct buffered *one) {
  __atomic_store_n(&one->is_served, 1, __ATOMIC_RELEASE);
}

/* Allocates a buffer for the descriptor, unless it has one. remedy: the remedy's name in
 * DARSHAN_TRY, whose value is the buffer's size in bytes. used: counts the remedy's allocations.
 * Returns 0 if the descriptor has a buffer; -1 after BUFFERS allocations, or if remedy_memory
 * returns none. */
static inline int buffered_has_buffer(struct buffered *one, const char *remedy, int *used) {
  if (one->buffer) return 0;
  if (__atomic_fetch_add(used, 1, __ATOMIC_ACQ_REL) >= BUFFERS) return -1;
  one->buffer = remedy_memory(remedy_value(remedy));
  return one->buffer ? 0 : -1;
}

static inline int is_file(const struct file_id *file, const struct stat *st) {
  return file->inode == st->st_ino && file->device == st->st_dev;
}

/* Returns 1 if the list has the file with this status (by device and inode), otherwise 0. room:
 * size of the array `files`. count: the counter of files_add, which may exceed `room`. */
static inline int files_have(const struct file_id *files, int room, int count,
                             const struct stat *st) {
  for (int n = 0; n < room && n < count; n++)
    if (is_file(&files[n], st)) return 1;
  return 0;
}

/* Adds the file with this status to the list, and 1 to *count. Returns 0, or -1 if the list is
 * full. room: size of the array `files`. */
static inline int files_add(struct file_id *files, int room, int *count, const struct stat *st) {
  int place = __atomic_fetch_add(count, 1, __ATOMIC_ACQ_REL);
  if (place >= room) return -1;
  files[place].device = st->st_dev;
  __atomic_store_n(&files[place].inode, st->st_ino, __ATOMIC_RELEASE);
  return 0;
}

#endif
