/* The table of mapped files: counts, before pages of a mapping leave the page tables, how many of
 * them the application has touched (mappings.h). */
#include "mappings.h"

#include <string.h>
#include <sys/mman.h>

#include "../../../intercept/stack.h"
#include "page-faults.h"
#include "pages.h"

struct mappings_state mappings_state;

enum { LOCKS_ON_FAULT = 4 /* MCL_ONFAULT */ };
enum {
  PAGE = 4096,
  WRITABLE = 1,  /* shared and writable: written data reaches the file */
  POPULATED = 2, /* the kernel mapped all pages on request */
  COPIED = 4,    /* private and writable: a fork copies its page table */
  UNKNOWN = 8,   /* inherited by a fork; it is unknown which pages this process has touched */
  HOLDS = 16,    /* the mapping counts as a descriptor of its file, which shares a record */
};

static struct mapping {
  uintptr_t from;    /* its first address */
  size_t n;          /* length in bytes, as passed to mmap */
  struct pages told; /* pages that are already counted */
  uint32_t flags;
  struct posix_file *file; /* NULL: the slot is free */
} mappings[MAPPINGS];

/* All slots that were ever used: first those of the recorded mappings, in the order of their
 * addresses, then the free ones. A program may have thousands of mappings, and each munmap and
 * madvise looks for one. Protected by the lock. */
static uint16_t order[MAPPINGS];
static uint32_t recorded; /* number of recorded mappings */

static uintptr_t page_end(uintptr_t at) {
  return (at + PAGE - 1) / PAGE * PAGE;
}

static uintptr_t end_of(const struct mapping *mapping) {
  return page_end(mapping->from + mapping->n);
}

static struct posix_file *file_at(const struct mapping *mapping) {
  return __atomic_load_n(&mapping->file, __ATOMIC_ACQUIRE);
}

/* Returns the index in `order` of the first mapping that ends after this address; `recorded` if
 * there is none. Recorded mappings do not overlap, so they have the same order by end as by start.
 * The caller holds the lock. */
static uint32_t first_after(uintptr_t at) {
  uint32_t low = 0, high = recorded;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (end_of(&mappings[order[middle]]) > at)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* Returns the first mapping that overlaps the range, or NULL. The caller holds the lock. */
static struct mapping *first_in(uintptr_t from, uintptr_t to) {
  uint32_t place = first_after(from);
  if (place == recorded) return NULL;
  struct mapping *mapping = &mappings[order[place]];
  return mapping->from < to ? mapping : NULL;
}

/* Adds a slot, the first free one of `order`, to the recorded mappings, at the index that its
 * address requires. */
static void record_slot(uint16_t slot) {
  uint32_t place = first_after(mappings[slot].from);
  memmove(&order[place + 1], &order[place], (recorded - place) * sizeof order[0]);
  order[place] = slot;
  recorded++;
}

/* Moves the slot at this index of `order` to the free slots. */
static void free_slot(uint32_t place) {
  uint16_t slot = order[place];
  recorded--;
  memmove(&order[place], &order[place + 1], (recorded - place) * sizeof order[0]);
  order[recorded] = slot;
}

/* Sorts all slots in `order` again. Called in a child whose parent was changing `order` when it
 * forked. */
static void sort_slots(void) {
  uint32_t used = mappings_state.used, last = used;
  recorded = 0;
  for (uint32_t i = 0; i < used; i++)
    if (mappings[i].file) record_slot((uint16_t)i);
  for (uint32_t i = 0; i < used; i++)
    if (!mappings[i].file) order[--last] = (uint16_t)i;
}

/* hold keeps the state of a mapping's file, if the file shares a record, which would be released
 * with its last descriptor. let_go ends this. */
static void hold(struct mapping *mapping) {
  mapping->flags &= ~(uint32_t)HOLDS;
  if (!mapping->file->overflow) return;
  __atomic_add_fetch(&mapping->file->descriptors, 1, __ATOMIC_RELAXED);
  mapping->flags |= HOLDS;
}

static void let_go(const struct mapping *mapping) {
  if (!(mapping->flags & HOLDS)) return;
  __atomic_sub_fetch(&mapping->file->descriptors, 1, __ATOMIC_RELAXED);
  posix_file_unused(mapping->file);
}

/* Removes the first mapping that overlaps the range from the table and copies it to *out. Returns
 * 1, or 0 if there is none, or if the lock cannot be taken. */
static int take(uintptr_t from, uintptr_t to, struct mapping *out) {
  if (!record_lock(&mappings_state.lock)) return 0;
  struct mapping *mapping = first_in(from, to);
  if (mapping) {
    *out = *mapping;
    free_slot(first_after(from));
    __atomic_store_n(&mapping->file, NULL, __ATOMIC_RELEASE);
  }
  record_unlock(&mappings_state.lock);
  return mapping != NULL;
}

/* Counts n bytes of a mapping of the file as unmeasured. */
static void left_out(struct posix_file *file, size_t n) {
  struct mapped found = {.unmeasured = (int64_t)n};
  if (n) posix_mapping_seen(file, &found);
}

/* Writes a mapping into a free slot of the table. Returns 1, or 0 if the table is full. The caller
 * holds the lock. Sets the slot's file last, because from then on other threads read the slot
 * without the lock. */
static int write_slot(struct mapping mapping) {
  struct mappings_state *state = &mappings_state;
  struct posix_file *file = mapping.file;
  uint32_t slot = recorded < state->used ? order[recorded] : state->used;
  if (slot == MAPPINGS) return 0;
  mapping.file = NULL;
  mappings[slot] = mapping;
  if (!state->high || mapping.from < state->low) state->low = mapping.from;
  if (end_of(&mapping) > state->high) state->high = end_of(&mapping);
  __atomic_store_n(&mappings[slot].file, file, __ATOMIC_RELEASE);
  record_slot((uint16_t)slot);
  if (slot == state->used) __atomic_store_n(&state->used, slot + 1, __ATOMIC_RELEASE);
  return 1;
}

/* Adds a copy of a mapping to the table. If the table is full, counts the mapping's bytes as
 * unmeasured. */
static void put(struct mapping mapping) {
  int is_written = 0;
  if (mapping.n == 0) return;
  hold(&mapping);
  if (record_lock(&mappings_state.lock)) {
    is_written = write_slot(mapping);
    record_unlock(&mappings_state.lock);
  }
  if (is_written) return;
  let_go(&mapping);
  left_out(mapping.file, mapping.n);
}

static int mapping_of_fault(uintptr_t at, uintptr_t *from, uintptr_t *to) {
  if (!record_lock(&mappings_state.lock)) return 0;
  const struct mapping *mapping = first_in(at, at + 1);
  if (mapping) {
    *from = mapping->from;
    *to = end_of(mapping);
  }
  record_unlock(&mappings_state.lock);
  return mapping != NULL;
}

static void count_faults(uintptr_t from, const struct page_faults *found) {
  struct posix_file *file = mappings_file((const void *)from);
  if (file) posix_page_faults_seen(file, found);
}

static void read_faults(void *also_watch) {
  int64_t lost = page_faults_read(mapping_of_fault, count_faults);
  if (lost) posix_page_faults_lost(lost);
  if (also_watch) page_faults_watch();
}

/* Reads and counts the page faults so far, if the user asked for them (DARSHAN_PAGE_FAULTS). Called
 * before a mapping changes, because the kernel reports only the faults' addresses. */
static void order_so_far(void) {
  if (UNLIKELY(page_faults_are_asked()) && mappings_state.used) stack_run(read_faults, NULL);
}

static int64_t at_most(uint64_t value, uint64_t most) {
  return (int64_t)(value < most ? value : most);
}

static uint64_t news(uint64_t found, uint64_t told) {
  return found > told ? found - told : 0; /* 0 if the kernel has reclaimed pages */
}

/* Adds the bytes of pages found in a mapping to its file's counters, without those that are already
 * counted (mapping->told). asked: not 0 if the kernel mapped the pages on request: they count as
 * populated, not as touched. */
static void count(const struct page_reader *reader, const struct mapping *mapping,
                  const struct pages *found, int asked) {
  const struct pages *told = &mapping->told;
  int64_t touched = at_most(news(found->touched, told->touched), mapping->n);
  struct mapped mapped = {
      .estimated = at_most(news(found->estimated, told->estimated), mapping->n),
      .unmeasured = at_most(news(found->left_out, told->left_out), mapping->n),
  };
  if (asked)
    mapped.populated = touched;
  else
    mapped.touched = touched;
  if (mapping->flags & WRITABLE) {
    mapped.writable = mapped.touched;
    if (touched)
      mapped.dirty =
          pages_tell_dirty(reader) ? at_most(news(found->dirty, told->dirty), mapping->n) : -1;
  }
  /* Does not make a record only to count unknown bytes, in a child that has no records. */
  int only_unknown = (mapping->flags & UNKNOWN) && runtime_phase() != RUNTIME_RECORDING;
  if ((mapped.touched || mapped.populated || mapped.unmeasured) && !only_unknown)
    posix_mapping_seen(mapping->file, &mapped);
}

/* Inspects the pages of a mapping between two addresses and adds them to *found. */
static void look(struct page_reader *reader, const struct mapping *mapping, struct pages *found,
                 uintptr_t from, uintptr_t to) {
  if (from >= to) return;
  if (mapping->flags & UNKNOWN)
    found->left_out += to - from;
  else
    pages_add(reader, found, from, to);
}

/* Addresses whose pages are about to be dropped. */
struct range {
  uintptr_t from, to; /* `to` is behind the last one */
  int stays;          /* 1: the mappings stay, and only their pages are dropped */
};

static int anything_told(const struct mapping *mapping) {
  return mapping->told.touched || mapping->told.left_out;
}

static struct pages both(const struct pages *a, const struct pages *b) {
  return (struct pages){a->touched + b->touched, a->dirty + b->dirty, a->estimated + b->estimated,
                        a->left_out + b->left_out};
}

/* Handles the removal of a part of a mapping, or of all of it, which the caller has taken out of
 * the table: counts the pages of the part and puts what stays back into the table. If pages of the
 * mapping are already counted, inspects the rest, too, because it is unknown in which part the
 * counted pages are. */
static void part_goes(struct page_reader *reader, const struct mapping *mapping,
                      const struct range *range) {
  uintptr_t end = end_of(mapping), last = mapping->from + mapping->n;
  uintptr_t from = range->from > mapping->from ? range->from : mapping->from;
  uintptr_t to = range->to < end ? range->to : end;
  struct mapping left = *mapping, right = *mapping;
  struct pages all = {0}, before = {0}, behind = {0};
  look(reader, mapping, &all, from, to);
  if (anything_told(mapping)) {
    look(reader, mapping, &before, mapping->from, from);
    look(reader, mapping, &behind, to, end);
    all = both(&all, &before);
    all = both(&all, &behind);
  }
  count(reader, mapping, &all, mapping->flags & POPULATED);
  left.n = range->stays ? mapping->n : from - mapping->from;
  left.told = range->stays ? both(&before, &behind) : before;
  right.from = to;
  right.n = range->stays || to >= last ? 0 : last - to;
  right.told = behind;
  put(left);
  put(right);
  let_go(mapping);
}

/* Counts the accesses to the pages of a range that is about to be unmapped or dropped, and shortens
 * or removes the mappings there. Each turn of the loop continues behind the mapping that it
 * removed, because `part_goes` puts the remaining parts back. */
static void leave(void *range_) {
  const struct range *range = range_;
  /* Keeps half of the remaining time for later calls. */
  struct page_reader reader = pages_open(2 * (range->to - range->from), 2);
  struct mapping mapping;
  uintptr_t from = range->from;
  while (from < range->to && take(from, range->to, &mapping)) {
    from = end_of(&mapping);
    part_goes(&reader, &mapping, range);
  }
  pages_close(&reader);
}

/* Returns 1 if the kernel can accept these arguments of munmap and this thread may change tables,
 * otherwise 0. */
static int is_range(const void *at, size_t n) {
  return n != 0 && (uintptr_t)at % PAGE == 0 && (uintptr_t)at + n > (uintptr_t)at &&
         fd_may_change();
}

void mappings_leaving(void *at, size_t n) {
  uintptr_t from = (uintptr_t)at;
  if (!is_range(at, n)) return;
  order_so_far();
  stack_run(leave, &(struct range){from, page_end(from + n), 0});
}

void mappings_dropping(void *at, size_t n, int advice) {
  enum { DONTNEED_LOCKED = 24, PAGEOUT = 21 };
  uintptr_t from = (uintptr_t)at;
  int drops = advice == MADV_DONTNEED || advice == MADV_REMOVE || advice == PAGEOUT ||
              advice == DONTNEED_LOCKED;
  if (!drops || !is_range(at, n)) return;
  order_so_far();
  stack_run(leave, &(struct range){from, page_end(from + n), 1});
}

/* Drops the recorded mappings that lie in a range in which a new mapping was made, or reach into
 * it, and counts their bytes as not measured: calls that the runtime did not see have removed them.
 */
static void drop_stale(uintptr_t from, uintptr_t to) {
  struct mapping old;
  while (mappings_may_hold((void *)from, to - from) && take(from, to, &old)) {
    left_out(old.file, old.n);
    let_go(&old);
  }
}

void mapping_made(struct posix_file *file, void *at, size_t n, int prot, int flags) {
  struct mapping made = {.from = (uintptr_t)at, .n = n, .file = file};
  int shared = (flags & MAP_TYPE) != MAP_PRIVATE, writes = (prot & PROT_WRITE) != 0;
  if (!fd_may_change()) return;
  if (UNLIKELY(page_faults_are_asked())) stack_run(read_faults, "and watch");
  if (writes) made.flags |= shared ? WRITABLE : COPIED;
  if ((flags & (MAP_POPULATE | MAP_LOCKED)) || mappings_state.locks_all) made.flags |= POPULATED;
  drop_stale(made.from, end_of(&made));
  put(made);
}

void mappings_moving(void *at, size_t n, size_t size) {
  uintptr_t from = (uintptr_t)at, end = page_end(from + n), kept = page_end(from + size);
  if (size != 0 && kept < end) mappings_leaving((void *)kept, end - kept);
}

void mappings_moved(void *from_, size_t n, size_t size, void *to_) {
  uintptr_t from = (uintptr_t)from_, to = (uintptr_t)to_, end = page_end(from + n);
  uintptr_t kept = page_end(from + size) < end ? page_end(from + size) : end;
  struct mapping mapping;
  if (to_ == MAP_FAILED || !is_range(from_, n ? n : PAGE)) return;
  order_so_far();
  if (n == 0) { /* mremap then maps the pages of a shared mapping a second time */
    if (!take(from, from + PAGE, &mapping)) return;
    put(mapping);
    let_go(&mapping);
    mapping.from = to;
    mapping.n = size;
    mapping.told = (struct pages){0};
    drop_stale(to, end_of(&mapping));
    put(mapping);
    return;
  }
  /* If only a part of the mapping was moved, counts its bytes as unmeasured. */
  if (!take(from, kept, &mapping)) return;
  int is_whole = mapping.from == from && end_of(&mapping) == kept;
  struct mapping moved = mapping;
  moved.from = to;
  if (size > mapping.n) moved.n = size;
  if (is_whole) {
    drop_stale(to, end_of(&moved));
    put(moved);
  } else {
    left_out(mapping.file, mapping.n);
  }
  let_go(&mapping);
}

struct posix_file *mappings_file(const void *at) {
  uintptr_t from = (uintptr_t)at;
  if (!mappings_may_hold(at, 1) || !record_lock(&mappings_state.lock)) return NULL;
  struct mapping *mapping = first_in(from, from + 1);
  struct posix_file *file = mapping ? mapping->file : NULL;
  record_unlock(&mappings_state.lock);
  return file;
}

struct posix_file *mapping_hold(const void *at) {
  uintptr_t from = (uintptr_t)at;
  if (!mappings_may_hold(at, 1) || !record_lock(&mappings_state.lock)) return NULL;
  struct mapping *mapping = first_in(from, from + 1);
  struct posix_file *file = mapping ? mapping->file : NULL;
  if (file && file->overflow) __atomic_add_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  record_unlock(&mappings_state.lock);
  return file;
}

void mapping_called(struct posix_file *file, uint64_t t1, uint64_t t2) {
  if (!file) return;
  posix_mapping_called(file, t1, t2);
  if (!file->overflow) return;
  __atomic_sub_fetch(&file->descriptors, 1, __ATOMIC_RELAXED);
  posix_file_unused(file);
}

/* Addresses whose mappings are inspected and stay. */
struct settling {
  uintptr_t from, to; /* `to` is behind the last one */
  int only_writable;  /* 1: only mappings whose written data reach the file */
  int asked;          /* 1: the kernel mapped new pages on request */
};

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* Marks the mapping in slot `place`, if it still begins at `from`, as POPULATED: the kernel may
 * have mapped any of its pages on request, because there was no time to inspect them. */
static void may_be_populated(uint32_t place, uintptr_t from) {
  struct mapping *there = &mappings[place];
  if (!record_lock(&mappings_state.lock)) return;
  if (there->file && there->from == from) there->flags |= POPULATED;
  record_unlock(&mappings_state.lock);
}

/* Inspects the mapping in slot `place` and counts the pages that were not counted before. The
 * mapping stays in its slot. asked: 1 if a call of the application made the kernel map the new
 * pages. */
static void settle(struct page_reader *reader, uint32_t place, int asked) {
  struct mapping *there = &mappings[place], mapping;
  struct pages found = {0}, *told = &there->told;
  if (!record_lock(&mappings_state.lock)) return;
  mapping = *there;
  record_unlock(&mappings_state.lock);
  if (!mapping.file) return;
  look(reader, &mapping, &found, mapping.from, end_of(&mapping));
  count(reader, &mapping, &found, asked || (mapping.flags & POPULATED));
  if (!record_lock(&mappings_state.lock)) return;
  if (there->file == mapping.file && there->from == mapping.from)
    *told = (struct pages){larger(told->touched, found.touched), larger(told->dirty, found.dirty),
                           larger(told->estimated, found.estimated),
                           larger(told->left_out, found.left_out)};
  record_unlock(&mappings_state.lock);
  if (asked && found.left_out > 0) may_be_populated(place, mapping.from);
}

/* Returns 1 if the mapping is one of those to be inspected, otherwise 0. */
static int is_settled(const struct settling *settling, const struct mapping *mapping) {
  return file_at(mapping) && mapping->from < settling->to && end_of(mapping) > settling->from &&
         (!settling->only_writable || mapping->flags & WRITABLE);
}

static void settle_range(void *settling_) {
  const struct settling *settling = settling_;
  uint64_t bytes = 0, times = 0;
  for (uint32_t i = 0; i < mappings_state.used; i++) {
    if (!is_settled(settling, &mappings[i])) continue;
    bytes += mappings[i].n;
    times++;
  }
  if (times == 0) return;
  struct page_reader reader = pages_open(bytes, times);
  for (uint32_t i = 0; i < mappings_state.used; i++)
    if (is_settled(settling, &mappings[i])) settle(&reader, i, settling->asked);
  pages_close(&reader);
}

/* Counts the accessed pages in the mappings of a range now, not only at exit, if there is time for
 * it (pages_have_time). If there is none and the kernel mapped pages on request, marks the mappings
 * (may_be_populated). */
static void settle_now(struct settling settling) {
  if (!fd_may_change()) return;
  order_so_far();
  if (pages_have_time()) {
    stack_run(settle_range, &settling);
  } else if (settling.asked) {
    for (uint32_t i = 0; i < mappings_state.used; i++)
      if (is_settled(&settling, &mappings[i])) may_be_populated(i, mappings[i].from);
  }
}

void mappings_syncing(void *at, size_t n) {
  uintptr_t from = (uintptr_t)at;
  if (is_range(at, n)) settle_now((struct settling){from, from + n, 1, 0});
}

/* Called before a call that makes the kernel map n bytes at `at`. If there is time, counts the
 * pages that are mapped already, which the application has touched, in the records of their files.
 */
void mappings_populating(const void *at, size_t n) {
  uintptr_t from = (uintptr_t)at / PAGE * PAGE;
  settle_now((struct settling){from, (uintptr_t)at + n, 0, 0});
}

void mappings_populated(int result, const void *at, size_t n) {
  uintptr_t from = (uintptr_t)at / PAGE * PAGE;
  if (result == 0) settle_now((struct settling){from, (uintptr_t)at + n, 0, 1});
}

void mappings_locking_all(int flags) {
  if (mappings_state.used && (flags & MCL_CURRENT) && !(flags & LOCKS_ON_FAULT))
    settle_now((struct settling){0, UINTPTR_MAX, 0, 0});
}

void mappings_locked_all(int result, int flags) {
  if (result != 0 || !fd_may_change()) return;
  int populates = !(flags & LOCKS_ON_FAULT);
  mappings_state.locks_all = populates && (flags & MCL_FUTURE);
  if (mappings_state.used && populates && (flags & MCL_CURRENT))
    settle_now((struct settling){0, UINTPTR_MAX, 0, 1});
}

void mappings_ending(void) {
  if (mappings_state.used == 0 || !fd_may_change()) return;
  order_so_far();
  stack_run(settle_range, &(struct settling){0, UINTPTR_MAX, 0, 0});
}

void mappings_forked(struct posix_file *(*heir)(struct posix_file *file, uint32_t *kept),
                     uint32_t *kept) {
  int was_changing = mappings_state.lock != 0;
  mappings_state.lock = 0;
  pages_forked();
  page_faults_forked();
  for (uint32_t i = 0; i < mappings_state.used; i++) {
    struct mapping *mapping = &mappings[i];
    if (!mapping->file) continue;
    mapping->told = (struct pages){0};
    mapping->flags &= ~(uint32_t)HOLDS;
    if (mapping->flags & COPIED) mapping->flags |= UNKNOWN;
    mapping->file = heir(mapping->file, kept);
  }
  if (was_changing) sort_slots();
  for (uint32_t place = recorded; place-- > 0;)
    if (!mappings[order[place]].file) free_slot(place);
}
