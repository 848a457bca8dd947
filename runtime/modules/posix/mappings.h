/* Which files are mapped where, so that what a program touches of them counts for them.
 *
 * A mapping is looked at (pages.h) before its pages leave the page tables: at munmap, mremap,
 * madvise(MADV_DONTNEED), at a new mapping in its place, before exec and at the end; at msync,
 * so that a killed process has told something. */
#ifndef DARSHAN_MAPPINGS_H
#define DARSHAN_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

#include "posix.h"

enum { MAPPINGS = 4096 /* at a time */ };

struct mappings_state {
  int lock;
  uint32_t used;       /* places that were ever used; 0: nothing was mapped */
  uintptr_t low, high; /* all mappings lie between */
  int locks_all;       /* mlockall: the kernel maps all pages of what comes */
};
extern struct mappings_state mappings_state __attribute__((visibility("hidden")));

/* Most calls that unmap memory are about none of these. */
static inline int mappings_may_hold(const void *at, size_t n) {
  if (LIKELY(mappings_state.used == 0)) return 0;
  return (uintptr_t)at < mappings_state.high && (uintptr_t)at + n > mappings_state.low;
}

/* A file was mapped. */
void mapping_made(struct posix_file *file, void *at, size_t n, int prot, int flags);
/* Before the pages of this range go, with the mapping or without it. */
void mappings_leaving(void *at, size_t n);
void mappings_dropping(void *at, size_t n, int advice);
/* Before and after mlock and madvise(MADV_POPULATE_READ): the kernel maps pages because it is
 * asked to. */
void mappings_populating(const void *at, size_t n);
void mappings_populated(int result, const void *at, size_t n);
void mappings_locking_all(int flags);
void mappings_locked_all(int result, int flags);
static inline int advice_populates(int advice) {
  enum { POPULATE_READ = 22, POPULATE_WRITE = 23 };
  return advice == POPULATE_READ || advice == POPULATE_WRITE;
}
/* Before and after mremap. */
void mappings_moving(void *at, size_t n, size_t size);
void mappings_moved(void *from, size_t n, size_t size, void *to);
/* The file that is mapped at this address, NULL: none that is followed. */
struct posix_file *mappings_file(const void *at);
/* Before msync: what has been written so far. */
void mappings_syncing(void *at, size_t n);
void mappings_ending(void);
/* In the child of a fork: `heir` tells which file stands for the parent's, NULL: none. */
void mappings_forked(struct posix_file *(*heir)(struct posix_file *file, uint32_t *kept),
                     uint32_t *kept);

/* ext.c: what one look at a mapping has found; bytes. */
struct mapped {
  int64_t touched, writable, dirty /* -1: not known */, populated, estimated, unmeasured;
};
void posix_mapping_seen(struct posix_file *file, const struct mapped *found);

#endif
