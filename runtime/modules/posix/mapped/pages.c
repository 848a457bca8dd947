/* Inspects the page tables of this process, by PAGEMAP_SCAN or /proc/self/pagemap, within a limit
 * of processor time (pages.h). */
#include "pages.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "../../../door/door.h"
#include "../../../intercept/sys/sys.h"

/* The kernel's interface PAGEMAP_SCAN (linux/fs.h of 6.7 and later, which may be newer than the
 * installed headers). */
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

/* An entry of /proc/self/pagemap, for kernels without PAGEMAP_SCAN. */
#define ENTRY_PRESENT (UINT64_C(1) << 63)
#define ENTRY_SWAPPED (UINT64_C(1) << 62)
#define ENTRY_SOFT_DIRTY (UINT64_C(1) << 55)

enum {
  PAGE = 4096,
  REGIONS = 512,
  ENTRIES = 512,
  STEP_NS = 100000, /* approximate time of one scan */
  PIECE = 16 * PAGE,
  PIECE_NS = 800, /* approximate time of one sample */
  PIECES_MOST = 1024,
  PIECES_LEAST = 16, /* with fewer samples the estimate is too inaccurate */
};
static const uint64_t first_step = UINT64_C(16) << 20, largest_step = UINT64_C(1) << 40;

static uint64_t spent; /* processor time that inspections took so far, in nanoseconds */

static uint64_t spent_ns(void) {
  return __atomic_load_n(&spent, __ATOMIC_RELAXED);
}

void pages_forked(void) {
  spent = 0;
}

/* Returns the limit of the processor time of all inspections so far, in nanoseconds (pages.h). */
static uint64_t most_ns(void) {
  return PAGES_LEAST_NS + clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 100;
}

int pages_have_time(void) {
  return spent_ns() < most_ns() / 4;
}

/* Returns this thread's processor time in nanoseconds. Elapsed time would be misleading: on a busy
 * machine a thread may wait for longer than the whole inspection takes. */
static uint64_t now_ns(void) {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the nanoseconds that remain until the limit; 0 also if the reader is not open. */
static uint64_t time_left(const struct page_reader *reader) {
  uint64_t gone = spent_ns() + (now_ns() - reader->begun);
  return reader->fd >= 0 && gone < reader->most ? reader->most - gone : 0;
}

struct page_reader pages_open(uint64_t bytes, uint64_t times) {
  struct page_reader reader = {.fd = -1, .begun = now_ns(), .most = most_ns()};
  reader.bytes = bytes;
  reader.times = times;
  if (spent_ns() >= reader.most) return reader;
  reader.fd = sys_open("/proc/self/pagemap", O_RDONLY, 0);
  reader.is_open = reader.fd >= 0;
  return reader;
}

void pages_close(struct page_reader *reader) {
  if (!reader->is_open) return;
  sys_close(reader->fd);
  reader->is_open = 0;
  __atomic_fetch_add(&spent, now_ns() - reader->begun, __ATOMIC_RELAXED);
}

/* Adds the pages of a range to sum by PAGEMAP_SCAN. Returns the end of the inspected part; `from`
 * if the kernel does not support the call or it failed. */
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
    /* The end of the last region counts as well, because walk_end may be before it. */
    if (regions[i].end > reached) reached = (uintptr_t)regions[i].end;
  }
  return reached;
}

/* Like scan, by reading /proc/self/pagemap. Inspects at most ENTRIES pages. */
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

/* Returns the byte offset, page-aligned, of sample `number` in its stride of `stride` bytes, a
 * pseudo-random one: a fixed offset could coincide with strides of the application. */
static uint64_t place_in_stride(uint64_t number, uint64_t stride) {
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t places = (stride - PIECE) / PAGE + 1;
  return ((number * golden) >> 32) % places * PAGE;
}

/* Estimates the pages of a range from one sample per stride, in about `time` nanoseconds at most,
 * and adds them to sum. Returns 1, or 0, without adding, if there is too little time or a page
 * cannot be inspected. */
static int estimate(const struct page_reader *reader, struct pages *sum, uintptr_t from,
                    uintptr_t to, uint64_t time) {
  uint64_t n = time / PIECE_NS;
  if (n > PIECES_MOST) n = PIECES_MOST;
  if (n > (to - from) / PIECE) n = (to - from) / PIECE;
  if (n < PIECES_LEAST) return 0;
  struct pages found = {0};
  uint64_t stride = (to - from) / n / PAGE * PAGE;
  for (uint64_t i = 0; i < n; i++) {
    uintptr_t piece = from + i * stride + place_in_stride(i, stride);
    if (look(reader, &found, piece, piece + PIECE) < piece + PIECE) return 0;
  }
  double scale = (double)(to - from) / (double)(n * PIECE);
  sum->touched += (uint64_t)((double)found.touched * scale);
  sum->dirty += (uint64_t)((double)found.dirty * scale);
  sum->estimated += to - from;
  return 1;
}

/* Adds the pages of a range to sum, step by step, while more than `kept` nanoseconds of the time
 * remain. Returns the end of the inspected part. */
static uintptr_t look_at_all(const struct page_reader *reader, struct pages *sum, uintptr_t from,
                             uintptr_t to, uint64_t kept) {
  uint64_t step = first_step;
  while (from < to && time_left(reader) > kept) {
    uint64_t begun = now_ns();
    uintptr_t end = to - from > step ? from + step : to;
    uintptr_t reached = look(reader, sum, from, end);
    if (reached <= from) break;
    from = reached;
    /* Doubles the step if it took little time, because the kernel skips gigabytes at once where
     * little was touched. */
    uint64_t took = now_ns() - begun;
    if (took < STEP_NS / 4 && step < largest_step) step *= 2;
    if (took > STEP_NS && step > first_step / 4) step /= 2;
  }
  return from;
}

/* Returns the part of the remaining time (ns) that a range of `bytes` bytes may use: in proportion
 * to its bytes, or an equal part per remaining call if that is more, because few of the bytes of a
 * mapping may have been touched. */
static uint64_t part_of(struct page_reader *reader, uint64_t time, uint64_t bytes) {
  uint64_t by_bytes = reader->bytes > bytes
                          ? (uint64_t)((double)time * (double)bytes / (double)reader->bytes)
                          : time;
  uint64_t by_times = reader->times > 1 ? time / reader->times : time;
  reader->bytes -= reader->bytes > bytes ? bytes : reader->bytes;
  if (reader->times) reader->times--;
  return by_bytes > by_times ? by_bytes : by_times;
}

void pages_add(struct page_reader *reader, struct pages *sum, uintptr_t from, uintptr_t to) {
  uint64_t time = time_left(reader), part = part_of(reader, time, to - from);
  from = look_at_all(reader, sum, from, to, time - part / 2);
  if (from >= to || estimate(reader, sum, from, to, part / 2)) return;
  sum->left_out += to - from;
}

int pages_tell_dirty(const struct page_reader *reader) {
  volatile char written = 1; /* the write makes its page dirty */
  struct pages found = {0};
  uintptr_t page = (uintptr_t)&written / PAGE * PAGE;
  written = 2;
  return reader->fd >= 0 && look(reader, &found, page, page + PAGE) > page && found.dirty > 0;
}
