/* The order of page faults in mapped files (DARSHAN_PAGE_FAULTS). For each watched thread, the
 * kernel writes the addresses of its page faults into a ring (perf_event_open). The runtime reads
 * the rings when a mapping is made, ends, or is written back, and at exit. */
#ifndef DARSHAN_PAGE_FAULTS_H
#define DARSHAN_PAGE_FAULTS_H

#include <stdint.h>

/* Numbers of page faults of one thread in one mapping. */
struct page_faults {
  int64_t faults;
  int64_t forward; /* at a higher address than the thread's last page fault in the mapping */
  int64_t near;    /* forward page faults that were at most PAGE_FAULT_NEAR higher */
};
enum { PAGE_FAULT_NEAR = 2 << 20 /* a fault may map a large page of this size */ };

/* A function that returns 1 if the address is in a recorded mapping, and then stores the mapping's
 * first address and the address behind its end; otherwise 0. */
typedef int page_fault_mapping(uintptr_t at, uintptr_t *from, uintptr_t *to);
/* A function that counts the page faults in the mapping that begins at `from`. */
typedef void page_fault_count(uintptr_t from, const struct page_faults *found);

/* Starts to record the page faults of the calling thread and, if the runtime may read
 * /proc/self/task and it is that of the own PID namespace, of all other threads of the process; of
 * at most 32 threads in total. */
void page_faults_watch(void);
/* Reads the new page faults from all rings and passes them to `count`, by mapping. Page faults
 * in other memory are not counted. Returns the number of page faults that the kernel dropped
 * because a ring was full: a lower bound, because the kernel reports them late. Returns 0 at once
 * if another thread is reading. */
int64_t page_faults_read(page_fault_mapping *mapping, page_fault_count *count);
/* Returns the errno of perf_event_open (or of mapping the ring) if no ring could be made for any
 * thread, else 0. */
uint64_t page_faults_refused(void);
/* Called in a forked child: forgets the rings, which are the parent's. */
void page_faults_forked(void);

#endif
