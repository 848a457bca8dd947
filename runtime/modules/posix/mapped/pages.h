/* Reads which pages of a mapping are in the page tables of this process: pages that the application
 * touched, and pages that the kernel mapped around each page fault. */
#ifndef DARSHAN_PAGES_H
#define DARSHAN_PAGES_H

#include <stdint.h>

/* Limit of the processor time that a process spends on these inspections, in nanoseconds: this
 * value plus 1 % of the process's own processor time. */
#define PAGES_LEAST_NS UINT64_C(2000000)

/* Sums of inspections of ranges; the caller sets all members to 0 at first. */
struct pages {
  uint64_t touched, dirty; /* bytes of pages in the page tables, and of those that were written */
  uint64_t estimated;      /* bytes of which only samples were inspected */
  uint64_t left_out;       /* bytes that were not inspected */
};

/* An open /proc/self/pagemap. Used only on a stack of the runtime (intercept/stack.h), where no
 * signal handler can abandon it while it is open. */
struct page_reader {
  int fd; /* negative: it cannot be opened, or the time is used up */
  int is_open;
  uint64_t begun, most; /* processor time of this thread at pages_open, and limit of the time of all
                           readers, in ns */
  uint64_t bytes, times; /* bytes and calls of pages_add that remain */
};
/* Opens and returns a reader of page states; its fd is negative if that fails. bytes: total size of
 * the ranges that the caller will pass to pages_add. times: number of these calls. */
struct page_reader pages_open(uint64_t bytes, uint64_t times);
void pages_close(struct page_reader *reader);

/* Adds the pages of a range of addresses to sum; from and to (exclusive) are page-aligned. Each
 * range gets a part of the time that remains (PAGES_LEAST_NS), by its bytes. If inspecting all
 * pages would take more than half of this part, the rest is estimated from samples, which are as
 * large as the range that a page fault maps. If there is too little time even for samples, the rest
 * is added to left_out. */
void pages_add(struct page_reader *reader, struct pages *sum, uintptr_t from, uintptr_t to);

/* Returns 1 if the kernel reports which pages were written (CONFIG_MEM_SOFT_DIRTY), tested on a
 * page of the caller's stack. Otherwise returns 0: pages.dirty is then meaningless. */
int pages_tell_dirty(const struct page_reader *reader);

/* Returns 1 if inspections have taken less than a quarter of the limit so far, otherwise 0. The
 * rest of the time is reserved for the inspections at exit. */
int pages_have_time(void);
/* Called in a forked child: it has spent no time yet. */
void pages_forked(void);

#endif
