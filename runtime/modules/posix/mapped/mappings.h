/* Table of mapped files, so that memory that the application touches counts for its file.
 * pages.h inspects a mapping before its pages leave the page tables: at munmap, mremap,
 * madvise(MADV_DONTNEED), at a new mapping of the same range, before exec and at exit. Also at
 * msync, so that a process that is killed later leaves some counts. */
#ifndef DARSHAN_MAPPINGS_H
#define DARSHAN_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

#include "../posix.h"

enum { MAPPINGS = 4096 /* at a time */ };

struct mappings_state {
  int lock;
  uint32_t used;       /* slots that were ever used; 0: nothing was mapped */
  uintptr_t low, high; /* bounds of all mappings */
  int locks_all;       /* mlockall: the kernel maps all pages of future mappings */
};
extern struct mappings_state mappings_state __attribute__((visibility("hidden")));

/* Returns 0 if no recorded mapping can be in this range. A fast check, because most calls that
 * unmap memory concern no file. */
static inline int mappings_may_hold(const void *at, size_t n) {
  if (LIKELY(mappings_state.used == 0)) return 0;
  return (uintptr_t)at < mappings_state.high && (uintptr_t)at + n > mappings_state.low;
}

/* Adds a mapping of the file to the table: n bytes at `at`, with the arguments prot and flags of
 * mmap. Called after mmap. */
void mapping_made(struct posix_file *file, void *at, size_t n, int prot, int flags);
/* Counts the accesses to the mapped pages of this range and removes them from the table. Called
 * before the pages are dropped, with the mapping (munmap) or without it (MADV_DONTNEED). */
void mappings_leaving(void *at, size_t n);
void mappings_dropping(void *at, size_t n, int advice);
/* Called before and after mlock and madvise(MADV_POPULATE_READ): the kernel maps pages on
 * request. */
void mappings_populating(const void *at, size_t n);
void mappings_populated(int result, const void *at, size_t n);
void mappings_locking_all(int flags);
void mappings_locked_all(int result, int flags);
static inline int advice_populates(int advice) {
  enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };
  return advice == POPULATE_READ || advice == POPULATE_WRITE;
}
/* mappings_moving counts the accesses to a mapping before mremap(at, n, size); mappings_moved
 * updates the table after it. */
void mappings_moving(void *at, size_t n, size_t size);
void mappings_moved(void *from, size_t n, size_t size, void *to);
/* Returns the file that is mapped at this address; NULL if none is recorded. */
struct posix_file *mappings_file(const void *at);
/* mapping_hold is like mappings_file, but for a call that may remove the mapping: it keeps the
 * file's state until mapping_called, which adds the time of the call. Without a file, both do
 * nothing. */
struct posix_file *mapping_hold(const void *at);
void mapping_called(struct posix_file *file, uint64_t t1, uint64_t t2);
/* Called before msync: counts what was written so far. */
void mappings_syncing(void *at, size_t n);
void mappings_ending(void);
/* Assigns the mappings to the child's own files, in the child of a fork. heir returns the child's
 * state for a file of the parent, or NULL, which drops the mapping. kept: a counter of states,
 * which is passed to heir. */
void mappings_forked(struct posix_file *(*heir)(struct posix_file *file, uint32_t *kept),
                     uint32_t *kept);

/* Bytes found by one inspection of a mapping, which the functions below count (ext.c). touched:
 * touched by the application, or mapped around its page faults; writable: touched bytes in a shared
 * mapping for writing; populated: mapped because a call requested it; estimated: in ranges of which
 * only samples were inspected; unmeasured: not inspected. */
struct mapped {
  int64_t touched, writable, dirty /* -1: unknown */, populated, estimated, unmeasured;
};
void posix_mapping_called(struct posix_file *file, uint64_t t1, uint64_t t2);
void posix_mapping_seen(struct posix_file *file, const struct mapped *found);
struct page_faults;
void posix_page_faults_seen(struct posix_file *file, const struct page_faults *found);
void posix_page_faults_lost(int64_t lost);

#endif
