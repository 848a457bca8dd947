/* The table of mapped files. With it, memory that the application touches is counted for its file.
 * pages.h inspects a mapping before its pages leave the page tables: at munmap, mremap,
 * madvise(MADV_DONTNEED), at a new mapping of the same range, before exec and at exit. It also does
 * at msync, so that a process that is killed later leaves some counts. */
#ifndef DARSHAN_MAPPINGS_H
#define DARSHAN_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

#include "../posix.h"

enum { MAPPINGS = 4096 /* at a time */ };

struct mappings_state {
  int lock;
  uint32_t used;       /* number of slots that were ever used; 0: nothing was mapped */
  uintptr_t low, high; /* bounds of all mappings */
  int locks_all;       /* 1: after mlockall, the kernel maps all pages of future mappings */
};
extern struct mappings_state mappings_state __attribute__((visibility("hidden")));

/* Returns 0 if no recorded mapping can be in this range, otherwise 1. A fast check, because most
 * calls that unmap memory concern no file. */
static inline int mappings_may_hold(const void *at, size_t n) {
  if (LIKELY(mappings_state.used == 0)) return 0;
  return (uintptr_t)at < mappings_state.high && (uintptr_t)at + n > mappings_state.low;
}

/* Adds a mapping of the file to the table: n bytes at `at`, with the arguments prot and flags of
 * mmap. If the table is full, counts the bytes as unmeasured. Called after a successful mmap. */
void mapping_made(struct posix_file *file, void *at, size_t n, int prot, int flags);
/* Called before pages are dropped: count the accesses to the mapped pages of a range.
 * mappings_leaving, for munmap, mremap and mmap with MAP_FIXED, also removes the mappings from the
 * table. mappings_dropping, for madvise, does not; it does nothing unless the advice drops pages
 * (MADV_DONTNEED, MADV_DONTNEED_LOCKED, MADV_REMOVE, MADV_PAGEOUT). */
void mappings_leaving(void *at, size_t n);
void mappings_dropping(void *at, size_t n, int advice);
/* Called before and after calls that make the kernel map pages on request: mlock,
 * madvise(MADV_POPULATE_READ) and mlockall. */
void mappings_populating(const void *at, size_t n);
void mappings_populated(int result, const void *at, size_t n);
void mappings_locking_all(int flags);
void mappings_locked_all(int result, int flags);
static inline int advice_populates(int advice) {
  enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };
  return advice == POPULATE_READ || advice == POPULATE_WRITE;
}
/* mappings_moving, called before mremap(at, n, size), counts the accesses to the pages that mremap
 * removes from a mapping because size is smaller than n. mappings_moved(at, n, size, to) updates
 * the table after mremap, which returned `to`; MAP_FAILED changes nothing. All sizes in bytes. */
void mappings_moving(void *at, size_t n, size_t size);
void mappings_moved(void *from, size_t n, size_t size, void *to);
/* Returns the file that is mapped at this address; NULL if none is recorded. */
struct posix_file *mappings_file(const void *at);
/* mapping_hold returns the file that is mapped at an address; NULL if no file is recorded there. It
 * is for a call that may remove the mapping: the file's state stays until mapping_called, which
 * adds the time of the call to the file, and does nothing if file is NULL. */
struct posix_file *mapping_hold(const void *at);
void mapping_called(struct posix_file *file, uint64_t t1, uint64_t t2);
/* mappings_syncing, called before msync, counts the pages that were touched so far in mappings
 * whose written data reach the file, if there is time for it (pages_have_time). mappings_ending
 * counts those of all mappings, at exit and before an exec. */
void mappings_syncing(void *at, size_t n);
void mappings_ending(void);
/* Called in a forked child: assigns the mappings to the child's own files. heir returns the child's
 * state for a file of the parent; if it returns NULL, the mapping is dropped. kept: a counter of
 * states, which is passed to heir. */
void mappings_forked(struct posix_file *(*heir)(struct posix_file *file, uint32_t *kept),
                     uint32_t *kept);

/* Bytes of whole pages that one inspection of a mapping found, without those that an earlier one
 * counted; the functions below count them (ext.c). touched: touched by the application, or mapped
 * around its page faults. writable: touched bytes in a shared mapping for writing. dirty: of these,
 * bytes of pages that were written. populated: mapped because a call requested it. estimated: in
 * ranges of which only samples were inspected. unmeasured: not inspected. */
struct mapped {
  int64_t touched, writable, dirty /* -1: unknown */, populated, estimated, unmeasured;
};
void posix_mapping_called(struct posix_file *file, uint64_t t1, uint64_t t2);
void posix_mapping_seen(struct posix_file *file, const struct mapped *found);
struct page_faults;
void posix_page_faults_seen(struct posix_file *file, const struct page_faults *found);
void posix_page_faults_lost(int64_t lost);

#endif
