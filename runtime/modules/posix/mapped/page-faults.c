/* Makes and reads the rings into which the kernel writes the addresses of page faults
 * (page-faults.h). */
#include "page-faults.h"

#include <string.h>
#include <sys/mman.h>

#include "../../../intercept/sys/sys.h"

/* The attributes of perf_event_open (linux/perf_event.h); page faults need only a few of them. */
struct event {
  uint32_t type, size;
  uint64_t config, period, sample, read_format, flags;
  uint32_t wakeup, breakpoint;
  uint64_t config1;
};
enum {
  SOFTWARE = 1,
  PAGE_FAULTS = 2,
  SAMPLE_ADDRESS = 1 << 3,
  NOT_KERNEL = 1 << 5 | 1 << 6, /* only page faults of the program's own instructions */
  CLOSE_ON_EXEC = 8,
  IS_LOST = 2,
  IS_SAMPLE = 9,
};
/* The beginning of a ring's first page; the records are in the pages behind it. The kernel moves
 * head, the runtime moves tail. */
struct ring_page {
  char unused[1024];
  uint64_t head, tail;
};

enum {
  PAGE = 4096,
  RINGS = 32,       /* largest number of threads whose page faults are recorded */
  PAGES_FIRST = 64, /* pages of the ring of the thread that maps files: 16,384 page faults */
  PAGES_OTHER = 8,
  LASTS = 8, /* number of mappings for which a ring stores the last page fault */
};
/* The last page fault in a mapping: the mapping's first address, and the fault's address. */
struct last {
  uintptr_t mapping, at;
};
static struct ring {
  struct ring_page *page;
  uint64_t size; /* bytes of its records, a power of two */
  long thread;
  int64_t guessed; /* page faults counted as lost before the kernel reported their number */
  struct last last[LASTS];
} rings[RINGS];
static int ring_count, ring_lock, refusal;

/* Takes the lock of all rings. Returns 1, or 0 at once if another thread has it: that thread
 * reads all rings. */
static int lock_rings(void) {
  return __atomic_exchange_n(&ring_lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static void unlock_rings(void) {
  __atomic_store_n(&ring_lock, 0, __ATOMIC_RELEASE);
}

static int is_watched(long thread) {
  for (int i = 0; i < ring_count; i++)
    if (rings[i].thread == thread) return 1;
  return 0;
}

/* Makes and maps a ring of `pages` pages for the page faults of a thread. Returns its first page;
 * NULL on failure, whose errno is stored in `refusal`. */
static struct ring_page *ring_of(long thread, unsigned pages) {
  struct event event = {.type = SOFTWARE, .size = sizeof(event)};
  event.config = PAGE_FAULTS;
  event.period = 1;
  event.sample = SAMPLE_ADDRESS;
  event.flags = NOT_KERNEL;
  int fd = (int)SYS5(SYS_perf_event_open, &event, thread, -1, -1, CLOSE_ON_EXEC);
  if (fd < 0) {
    refusal = -fd;
    return NULL;
  }
  void *at = sys_mmap(NULL, (pages + 1) * (size_t)PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  sys_close(fd); /* the mapping keeps the event open */
  if (!sys_failed(at)) return at;
  refusal = -(int)(intptr_t)at;
  return NULL;
}

uint64_t page_faults_refused(void) {
  return ring_count == 0 ? (uint64_t)refusal : 0;
}

/* Opens a ring of `pages` pages for a thread, unless the thread has a ring or all slots are in use.
 * The caller holds the lock. */
static void watch(long thread, unsigned pages) {
  if (ring_count == RINGS || is_watched(thread)) return;
  struct ring_page *page = ring_of(thread, pages);
  if (!page) return;
  memset(&rings[ring_count], 0, sizeof(rings[0]));
  rings[ring_count].page = page;
  rings[ring_count].size = (uint64_t)pages * PAGE;
  rings[ring_count++].thread = thread;
}

/* An entry of a folder, as getdents64 returns it. */
struct entry {
  uint64_t inode, offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

static long number_in(const char *name) {
  long number = 0;
  for (; *name >= '0' && *name <= '9'; name++)
    number = number * 10 + (*name - '0');
  return number;
}

/* Calls `each`, if it is not NULL, for every thread in the open folder /proc/self/task (fd), with
 * PAGES_OTHER. Returns 1 if the thread id `self` was among them, otherwise 0. If it was not, /proc
 * belongs to another PID namespace, and its thread ids differ from the process's own. */
static int each_thread(int fd, long self, void (*each)(long thread, unsigned pages)) {
  _Alignas(8) char entries[2048];
  int found = 0;
  for (;;) {
    long n = SYS3(SYS_getdents64, fd, entries, sizeof(entries));
    if (n <= 0) return found;
    for (long at = 0; at + (long)sizeof(struct entry) <= n;) {
      const struct entry *entry = (const struct entry *)(const void *)(entries + at);
      long thread = number_in(entry->name);
      if (entry->length == 0) return found;
      if (thread == self) found = 1;
      if (thread > 0 && each) each(thread, PAGES_OTHER);
      at += entry->length;
    }
  }
}

void page_faults_watch(void) {
  enum { START = 0 /* SEEK_SET */ };
  long self = SYS1(SYS_gettid, 0);
  if (self <= 0 || !lock_rings()) return;
  watch(self, PAGES_FIRST);
  int fd = ring_count ? sys_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0) : -1;
  if (fd >= 0 && each_thread(fd, self, NULL) && SYS3(SYS_lseek, fd, 0, START) == 0)
    each_thread(fd, self, watch);
  if (fd >= 0) sys_close(fd);
  unlock_rings();
}

/* Returns the element for the last page fault in the mapping that begins at this address. Another
 * mapping may have taken the element; then it is emptied (at is 0). */
static struct last *last_in(struct ring *ring, uintptr_t mapping) {
  struct last *last = &ring->last[mapping / PAGE % LASTS];
  if (last->mapping != mapping) *last = (struct last){mapping, 0};
  return last;
}

static void add(struct ring *ring, uintptr_t mapping, uintptr_t at, struct page_faults *found) {
  struct last *last = last_in(ring, mapping);
  found->faults++;
  if (last->at && at > last->at) {
    found->forward++;
    found->near += at - last->at <= PAGE_FAULT_NEAR;
  }
  last->at = at;
}

/* Returns the 64-bit word at a position in the ring, in bytes, counted like the kernel's head. No
 * word wraps around, because a ring's size is a power of two and its records consist of words. */
static uint64_t word_at(const struct ring *ring, uint64_t place) {
  const char *records = (const char *)ring->page + PAGE;
  uint64_t word;
  memcpy(&word, records + (place & (ring->size - 1)), sizeof(word));
  return word;
}

/* Returns how many page faults the ring lost since the last call. used: bytes that were in the
 * ring. told: the number that the kernel reported. The kernel reports the number only with the next
 * record for which the ring has space; until then, a full ring counts as one lost page fault. */
static int64_t lost_in(struct ring *ring, uint64_t used, int64_t told) {
  enum { ROOM = 32 }; /* bytes of the largest record */
  if (told == 0 && used + ROOM <= ring->size) return 0;
  int64_t guessed = ring->guessed;
  ring->guessed = used + ROOM > ring->size;
  return told + ring->guessed - (told ? guessed : 0);
}

/* Reads all records of a ring and counts its page faults by mapping. Returns the number of lost
 * page faults. */
static int64_t read_ring(struct ring *ring, page_fault_mapping *mapping, page_fault_count *count) {
  enum { HEADER = 8 };
  struct ring_page *page = ring->page;
  uint64_t head = __atomic_load_n(&page->head, __ATOMIC_ACQUIRE), tail = page->tail;
  uintptr_t from = 0, to = 0;
  struct page_faults found = {0};
  int64_t lost = 0;
  while (tail < head) {
    uint64_t header = word_at(ring, tail), length = header >> 48;
    uint32_t type = (uint32_t)header;
    if (length < HEADER || length % HEADER != 0 || length > head - tail) break;
    if (type == IS_LOST) lost += (int64_t)word_at(ring, tail + 2 * HEADER);
    if (type == IS_SAMPLE) {
      uintptr_t at = (uintptr_t)word_at(ring, tail + HEADER);
      if (at < from || at >= to) {
        if (found.faults) count(from, &found);
        found = (struct page_faults){0};
        if (!mapping(at, &from, &to)) from = to = 0;
      }
      if (at >= from && at < to) add(ring, from, at, &found);
    }
    tail += length;
  }
  if (found.faults) count(from, &found);
  lost = lost_in(ring, head - page->tail, lost);
  __atomic_store_n(&page->tail, head, __ATOMIC_RELEASE);
  return lost;
}

int64_t page_faults_read(page_fault_mapping *mapping, page_fault_count *count) {
  int64_t lost = 0;
  if (ring_count == 0 || !lock_rings()) return 0;
  for (int i = 0; i < ring_count; i++)
    lost += read_ring(&rings[i], mapping, count);
  unlock_rings();
  return lost;
}

void page_faults_forked(void) {
  ring_count = ring_lock = refusal = 0;
}
