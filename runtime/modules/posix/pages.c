/* See pages.h. */
#include "pages.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "../../door/door.h"
#include "../../intercept/sys.h"

/* The kernel's interface (linux/fs.h of 6.7 and later, which may be newer than the headers). */
struct scan_region {
  uint64_t start, end, categories;
};
struct scan {
  uint64_t size, flags, start, end, walk_end;
  uint64_t regions, most_regions, most_pages;
  uint64_t inverted, all_of, any_of, wanted;
};
#define SCAN _IOWR('f', 16, struct scan)
enum { IS_PRESENT = 1 << 3, IS_SWAPPED = 1 << 4, IS_SOFT_DIRTY = 1 << 7 };

/* An entry of /proc/self/pagemap, where the kernel has no such call. */
#define ENTRY_PRESENT (UINT64_C(1) << 63)
#define ENTRY_SWAPPED (UINT64_C(1) << 62)
#define ENTRY_SOFT_DIRTY (UINT64_C(1) << 55)

enum {
  PAGE = 4096,
  REGIONS = 512,
  ENTRIES = 512,
  STEP_NS = 100000, /* about what one question takes */
};
static const uint64_t first_step = UINT64_C(16) << 20, largest_step = UINT64_C(1) << 40;

static uint64_t spent; /* nanoseconds */

uint64_t pages_spent(void) {
  return __atomic_load_n(&spent, __ATOMIC_RELAXED);
}

void pages_forked(void) {
  spent = 0;
}

static int time_is_up(const struct page_reader *reader) {
  return pages_spent() + (clock_ns(CLOCK_MONOTONIC) - reader->begun) >= PAGES_MOST_NS;
}

struct page_reader pages_open(void) {
  struct page_reader reader = {.fd = -1, .begun = clock_ns(CLOCK_MONOTONIC)};
  if (pages_spent() >= PAGES_MOST_NS) return reader;
  reader.fd = sys_open("/proc/self/pagemap", O_RDONLY, 0);
  reader.is_open = reader.fd >= 0;
  return reader;
}

void pages_close(struct page_reader *reader) {
  if (!reader->is_open) return;
  sys_close(reader->fd);
  reader->is_open = 0;
  __atomic_fetch_add(&spent, clock_ns(CLOCK_MONOTONIC) - reader->begun, __ATOMIC_RELAXED);
}

/* Up to where it looked; `from`: the kernel cannot be asked so. */
static uintptr_t scan(const struct page_reader *reader, struct pages *sum, uintptr_t from,
                      uintptr_t to) {
  struct scan_region regions[REGIONS];
  struct scan scan = {.size = sizeof(scan), .start = from, .end = to};
  scan.regions = (uint64_t)(uintptr_t)regions;
  scan.most_regions = REGIONS;
  scan.any_of = IS_PRESENT | IS_SWAPPED;
  scan.wanted = IS_SOFT_DIRTY;
  long n = SYS3(SYS_ioctl, reader->fd, SCAN, &scan);
  if (n < 0) return from;
  uintptr_t reached = (uintptr_t)scan.walk_end;
  for (long i = 0; i < n; i++) {
    uint64_t bytes = regions[i].end - regions[i].start;
    sum->touched += bytes;
    if (regions[i].categories & IS_SOFT_DIRTY) sum->dirty += bytes;
    /* The kernel may have gone back to before the last region. */
    if (regions[i].end > reached) reached = (uintptr_t)regions[i].end;
  }
  return reached;
}

static uintptr_t read_entries(const struct page_reader *reader, struct pages *sum, uintptr_t from,
                              uintptr_t to) {
  uint64_t entries[ENTRIES];
  size_t most = (to - from) / PAGE;
  if (most > ENTRIES) most = ENTRIES;
  ssize_t n = sys_pread(reader->fd, entries, most * sizeof(*entries),
                        (off_t)(from / PAGE * sizeof(*entries)));
  if (n <= 0) return from;
  size_t there = (size_t)n / sizeof(*entries);
  for (size_t i = 0; i < there; i++) {
    if (!(entries[i] & (ENTRY_PRESENT | ENTRY_SWAPPED))) continue;
    sum->touched += PAGE;
    if (entries[i] & ENTRY_SOFT_DIRTY) sum->dirty += PAGE;
  }
  return from + there * PAGE;
}

static uintptr_t look(const struct page_reader *reader, struct pages *sum, uintptr_t from,
                      uintptr_t to) {
  static int cannot_scan;
  if (!__atomic_load_n(&cannot_scan, __ATOMIC_RELAXED)) {
    uintptr_t reached = scan(reader, sum, from, to);
    if (reached > from) return reached;
    __atomic_store_n(&cannot_scan, 1, __ATOMIC_RELAXED);
  }
  return read_entries(reader, sum, from, to);
}

void pages_add(struct page_reader *reader, struct pages *sum, uintptr_t from, uintptr_t to) {
  uint64_t step = first_step;
  while (from < to) {
    if (reader->fd < 0 || time_is_up(reader)) break;
    uint64_t begun = clock_ns(CLOCK_MONOTONIC);
    uintptr_t end = to - from > step ? from + step : to;
    uintptr_t reached = look(reader, sum, from, end);
    if (reached <= from) break;
    from = reached;
    /* Where little was touched the kernel passes over gigabytes at once. */
    uint64_t took = clock_ns(CLOCK_MONOTONIC) - begun;
    if (took < STEP_NS / 4 && step < largest_step) step *= 2;
    if (took > STEP_NS && step > first_step / 4) step /= 2;
  }
  if (from < to) sum->left_out += to - from;
}

int pages_tell_dirty(const struct page_reader *reader) {
  volatile char written = 1; /* so its page is dirty */
  struct pages found = {0, 0, 0};
  uintptr_t page = (uintptr_t)&written / PAGE * PAGE;
  written = 2;
  return reader->fd >= 0 && look(reader, &found, page, page + PAGE) > page && found.dirty > 0;
}
