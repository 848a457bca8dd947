/* Which pages of a mapping the kernel has in this process's page tables: what the program has
 * touched, with the pages that the kernel mapped around each page fault. */
#ifndef DARSHAN_PAGES_H
#define DARSHAN_PAGES_H

#include <stdint.h>

/* What a process spends on such questions in all its life. */
#define PAGES_MOST_NS UINT64_C(2000000)

struct pages {
  uint64_t touched, dirty; /* bytes, whole pages */
  uint64_t left_out;       /* bytes that were not looked at */
};

/* An open /proc/self/pagemap.  Only on memory of ours (intercept/stack.h), where no handler
 * leaves it open. */
struct page_reader {
  int fd; /* negative: it cannot be opened, or the time is used up */
  int is_open;
  uint64_t begun;
};
struct page_reader pages_open(void);
void pages_close(struct page_reader *reader);

/* Adds the pages from `from` to `to` (both at the beginning of a page). */
void pages_add(struct page_reader *reader, struct pages *sum, uintptr_t from, uintptr_t to);

/* 1 if the kernel tells which pages were written (CONFIG_MEM_SOFT_DIRTY). */
int pages_tell_dirty(const struct page_reader *reader);

/* The nanoseconds that this process has spent. */
uint64_t pages_spent(void);
void pages_forked(void);

#endif
