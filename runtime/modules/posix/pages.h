/* Which pages of a mapping the kernel has in this process's page tables: what the program has
 * touched, with the pages that the kernel mapped around each page fault. */
#ifndef DARSHAN_PAGES_H
#define DARSHAN_PAGES_H

#include <stdint.h>

/* What a process spends on such questions in all its life, in nanoseconds of processor time:
 * this, and a hundredth of what it has used by itself. */
#define PAGES_LEAST_NS UINT64_C(2000000)

struct pages {
  uint64_t touched, dirty; /* bytes, whole pages */
  uint64_t estimated;      /* bytes of which only samples were looked at */
  uint64_t left_out;       /* bytes that were not looked at */
};

/* An open /proc/self/pagemap.  Only on memory of ours (intercept/stack.h), where no handler
 * leaves it open. */
struct page_reader {
  int fd; /* negative: it cannot be opened, or the time is used up */
  int is_open;
  uint64_t begun, most;  /* nanoseconds of processor time: of this thread, of the process */
  uint64_t bytes, times; /* that will be asked for */
};
/* What is about to be asked for: so many bytes, in so many calls of pages_add. */
struct page_reader pages_open(uint64_t bytes, uint64_t times);
void pages_close(struct page_reader *reader);

/* Adds the pages from `from` to `to` (both at the beginning of a page).  Where a look at all of
 * them would take more than half of their part of the time, the rest is estimated from pieces
 * of it, as large as what a page fault maps. */
void pages_add(struct page_reader *reader, struct pages *sum, uintptr_t from, uintptr_t to);

/* 1 if the kernel tells which pages were written (CONFIG_MEM_SOFT_DIRTY). */
int pages_tell_dirty(const struct page_reader *reader);

/* Whether there is time for questions in the middle of a process's life; the end needs the rest. */
int pages_have_time(void);
void pages_forked(void);

#endif
