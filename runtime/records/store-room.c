/* Makes space for records and names: maps windows one by one and reserves space in the file. */
#include "store-room.h"

#include "../intercept/guard.h"
#include "../intercept/signals/signals.h"
#include "../intercept/stack.h"
#include "../names/failed-lookups.h"

#include <string.h>
#include <time.h>

enum {
  FIRST_STEP =
      4 << 10, /* bytes that are first reserved in the file at once; at least two records */
  LARGEST_STEP =
      128
      << 10, /* largest number of such bytes, because unused reserved space is resident memory */
  LARGEST_AHEAD = 32 << 10, /* if at most this many bytes are free, more space is made */
  LONGEST_NAME = 8 + DARSHAN_NAME_MAX + 1,
  SHORT_RECORDS = 2, /* if at most this many records are free, more space is made */
  WAITS = 1000       /* yields to another thread that makes space; they take about a millisecond */
};

struct store_part *store_part_of(struct record_store *store, int part) {
  return part == STORE_NAMES ? &store->names.part : &store->regions[part].part;
}

char *store_address(struct record_store *store, int part, size_t at) {
  if (part == STORE_NAMES) {
    uint32_t i = store->names.windows - 1;
    while (store->names.window[i].from > at)
      i--;
    return store->names.window[i].at + (at - store->names.window[i].from);
  }
  const struct segments *records = &store->regions[part].records;
  uint32_t k = segments_of(records, (uint32_t)(at / records->item_size));
  return records->zero[k] + at;
}

/* A step by which a part grows. If from equals to, nothing is mapped or reserved. */
struct step {
  size_t window_from, window_to;   /* offsets in the part */
  size_t reserve_from, reserve_to; /* offsets in the file */
};

/* Returns the offset at which the next window of a part ends. A window of names begins at the next
 * name and doubles the space. */
static size_t next_window_end(const struct record_store *store, int part) {
  if (part == STORE_NAMES) {
    size_t used = store->names.used;
    return used + (used < STORE_FIRST_ROOM ? (size_t)STORE_FIRST_ROOM : used);
  }
  const struct segments *records = &store->regions[part].records;
  size_t mapped = store->regions[part].part.mapped;
  uint32_t next = segments_of(records, (uint32_t)(mapped / records->item_size));
  return mapped + (size_t)segments_count(records, next) * records->item_size;
}

static size_t used_of(const struct record_store *store, int part) {
  if (part == STORE_NAMES) return store->names.used;
  return (size_t)store->regions[part].count * store->regions[part].record_size;
}

/* Returns the bytes of a part's first step. Records of some modules are larger than a page. */
static size_t first_step(const struct record_store *store, int part) {
  size_t records = part == STORE_NAMES ? 0 : 2 * (size_t)store->regions[part].record_size;
  return records > FIRST_STEP ? records : FIRST_STEP;
}

/* Computes the next step in which a part grows. Returns 1, or 0 if the part cannot grow any
 * more. */
static int next_step(struct record_store *store, int number, struct step *step) {
  const struct store_part *part = store_part_of(store, number);
  size_t room = part->end - part->start, used = used_of(store, number), limit = part->mapped;
  *step = (struct step){0};
  int map = part->usable == part->mapped ||
            (number == STORE_NAMES && part->mapped - used < 2 * LONGEST_NAME);
  if (map && part->mapped >= room) return 0;
  if (map) {
    step->window_from = number == STORE_NAMES ? used : part->mapped;
    limit = step->window_to = next_window_end(store, number);
    if (limit > room) limit = step->window_to = room;
    if (number == STORE_NAMES && store->names.windows == STORE_WINDOWS) return 0;
  }
  size_t more = first_step(store, number);
  if (part->usable > more) more = part->usable < LARGEST_STEP ? part->usable : LARGEST_STEP;
  size_t most = journal_page_up(part->start + limit);
  step->reserve_from = part->reserved ? part->reserved : journal_page_down(part->start);
  step->reserve_to = journal_page_up(part->start + part->usable + more);
  if (step->reserve_to > most) step->reserve_to = most;
  if (step->reserve_to < step->reserve_from) step->reserve_to = step->reserve_from;
  return 1;
}

/* Adds a window to the part, which the step has mapped at `at`. The caller holds the store's lock.
 * Stores the size last, because a handler may leave after any instruction; if a window is then
 * mapped a second time, this costs only memory. */
static void add_window(struct record_store *store, int number, const struct step *step, char *at) {
  struct store_names *names = &store->names;
  if (number == STORE_NAMES) {
    names->window[names->windows] = (struct store_window){step->window_from, at, SIZE_MAX};
    __atomic_store_n(&names->windows, names->windows + 1, __ATOMIC_RELEASE);
  } else {
    struct segments *records = &store->regions[number].records;
    uint32_t segment = segments_of(records, (uint32_t)(step->window_from / records->item_size));
    segments_put(records, segment, at);
  }
  __atomic_store_n(&store_part_of(store, number)->mapped, step->window_to, __ATOMIC_RELEASE);
}

/* Grows a part by private memory. Returns 0, or -1 if it is at its limit or memory is exhausted.
 * The caller holds the store's lock. */
static int grow_in_memory(struct record_store *store, int number) {
  struct store_part *part = store_part_of(store, number);
  struct step step;
  if (!next_step(store, number, &step)) return -1;
  if (step.window_to) {
    char *at = journal_window(-1, part->start + step.window_from, part->start + step.window_to);
    if (!at) return -1;
    add_window(store, number, &step, at);
    if (number == STORE_NAMES) {
      store->names.window[store->names.windows - 1].memory = step.window_from;
      if (part->kept > step.window_from)
        part->kept = step.window_from; /* the window begins within the data that are in the file */
    }
  } else { /* the rest of the file's window has no reserved space yet */
    size_t from = journal_page_up(part->start + part->usable), to = part->start + part->mapped;
    char *rest = from < to ? journal_window(-1, from, to) : NULL;
    if (from < to && (!rest || journal_replace(store_address(store, number, from - part->start),
                                               rest, from, to) < 0))
      return -1;
    if (number == STORE_NAMES)
      store->names.window[store->names.windows - 1].memory = from - part->start;
  }
  store_may_use(part, part->mapped);
  part->in_memory = 1;
  if (store->journal.has_file) /* the next thread that holds no lock moves it to the file */
    __atomic_or_fetch(&store->wanted, 1u << number, __ATOMIC_RELAXED);
  return 0;
}

/* Notes in store->wanted that part `number` needs more space in the file, if `left`, the number of
 * free bytes, is less than `least`. The caller holds the store's lock. */
static void note_shortage(struct record_store *store, int number, size_t left, size_t least) {
  const struct store_part *part = store_part_of(store, number);
  if (!store->journal.has_file || part->in_memory) return;
  if (left >= least || part->usable >= part->end - part->start) return;
  __atomic_or_fetch(&store->wanted, 1u << number, __ATOMIC_RELAXED);
}

static size_t ahead(size_t usable) {
  return usable / 8 < LARGEST_AHEAD ? usable / 8 : LARGEST_AHEAD;
}

int store_record_room(struct record_store *store, enum store_module module, uint32_t records) {
  struct store_region *region = &store->regions[module];
  size_t needed = (size_t)records * region->record_size;
  if (needed > region->part.end - region->part.start) return 0;
  while (region->part.usable < needed)
    if (grow_in_memory(store, (int)module) < 0) return 0;
  struct segments **beside = store->beside[module];
  for (int i = 0; i < STORE_BESIDE && beside[i]; i++)
    if (segments_have(beside[i], records) < 0) return 0;
  if (region->part.usable < (size_t)region->room * region->record_size)
    note_shortage(store, (int)module, region->part.usable - needed,
                  SHORT_RECORDS * (size_t)region->record_size + ahead(region->part.usable));
  return 1;
}

int store_name_room(struct record_store *store, size_t bytes) {
  struct store_names *names = &store->names;
  while (names->part.usable - names->used < bytes)
    if (grow_in_memory(store, STORE_NAMES) < 0) return 0;
  note_shortage(store, STORE_NAMES, names->part.usable - names->used - bytes, 2 * LONGEST_NAME);
  return 1;
}

/* Moves the failed lookups to the start of the last page of the file, which has space for them.
 * Leaves them where they are on failure. */
static void keep_lookups(struct record_store *store, int fd) {
  size_t end = store->journal.size, from = end - JOURNAL_PAGE;
  struct darshan_lookups *page = (void *)journal_window(fd, from, end);
  if (!page) return;
  if (journal_make_pages((char *)page, sizeof(*page)) < 0) {
    journal_unmap((char *)page, from, end);
    return;
  }
  missed_copy(page);
  if (store->lookups && journal_replace((char *)store->lookups, (char *)page, from, end) == 0)
    return; /* they are in the file's last page already, at its old address */
  store->lookups = page;
  missed_keep_in(page);
}

/* Writes the heads of all annex blocks, which a reader follows from one to the next, and then the
 * last page with the failed lookups and the trailer. Returns 0, or -1 if the file cannot be
 * written. */
int store_write_annex(struct record_store *store, int fd) {
  struct darshan_annex_trailer trailer = {.magic = DARSHAN_ANNEX_MAGIC,
                                          .version = DARSHAN_ANNEX_VERSION,
                                          .num_blocks = STORE_MODULES - STORE_FIRST_ANNEX,
                                          .flags = DARSHAN_ANNEX_LIVE};
  char page[JOURNAL_PAGE] = {0}; /* the whole page, because this also reserves its space */
  size_t end = store->journal.size;
  for (int i = STORE_FIRST_ANNEX; i < STORE_MODULES; i++) {
    struct store_region *region = &store->regions[i];
    size_t head = region->part.start - sizeof(struct darshan_annex_block);
    struct darshan_annex_block block = {.module = (uint32_t)region->module_id,
                                        .version = region->version,
                                        .comp_type = DARSHAN_UNCOMPRESSED,
                                        .stored_len = region->part.end - region->part.start};
    memcpy(page, &block, sizeof(block));
    if (sys_put(fd, page, sizeof(page), head) < 0) return -1;
    region->part.reserved = head + JOURNAL_PAGE;
  }
  trailer.offset =
      store->regions[STORE_FIRST_ANNEX].part.start - sizeof(struct darshan_annex_block);
  trailer.length = store->regions[STORE_MODULES - 1].part.end - trailer.offset;
  memset(page, 0, sizeof(struct darshan_annex_block));
  memcpy(page + sizeof(page) - sizeof(trailer), &trailer, sizeof(trailer));
  if (sys_put(fd, page, sizeof(page), end - sizeof(page)) < 0) return -1;
  keep_lookups(store, fd);
  store->annex_ready = 1;
  return 0;
}

/* Returns the file offset of a window. The first window of an annex block begins with the block's
 * head. */
static size_t window_start(const struct store_part *part, int number, const struct step *step) {
  int head = number >= STORE_FIRST_ANNEX && number < STORE_MODULES && step->window_from == 0;
  return part->start + step->window_from - (head ? sizeof(struct darshan_annex_block) : 0);
}

/* Publishes a step, unless the part has grown in the meantime: adds its window and makes its space
 * usable. before: the usable bytes when the step was computed. Returns 1 if the step was published,
 * otherwise 0. The caller holds the store's lock. */
static int take_step(struct record_store *store, int number, const struct step *step, char *at,
                     size_t before) {
  struct store_part *part = store_part_of(store, number);
  if (part->in_memory || part->usable != before) return 0;
  if (at) {
    size_t head = part->start + step->window_from - window_start(part, number, step);
    if (head) store->regions[number].block = (struct darshan_annex_block *)(void *)at;
    add_window(store, number, step, at + head);
  }
  part->reserved = step->reserve_to;
  part->kept = part->reserved - part->start;
  if (part->kept > part->mapped) part->kept = part->mapped;
  store_may_use(part, part->kept);
  return 1;
}

/* Makes the pages of the space that a step reserved writable. from and at: file offset and address
 * of the new window; at is NULL if there is no new window. Returns 0 or -1. */
static int make_pages(struct record_store *store, int number, const struct step *step, size_t from,
                      char *at) {
  size_t first = step->reserve_from;
  if (at && first < journal_page_down(from)) first = journal_page_down(from);
  if (first >= step->reserve_to) return 0;
  char *page = at ? at + (ptrdiff_t)(first - from)
                  : store_address(store, number, first - store_part_of(store, number)->start);
  return journal_make_pages(page, step->reserve_to - first);
}

int store_grow_file(struct record_store *store, int number, int fd) {
  struct store_part *part = store_part_of(store, number);
  struct step step;
  char *at = NULL;
  if (number >= STORE_FIRST_ANNEX && number < STORE_MODULES && !store->annex_ready &&
      store_write_annex(store, fd) < 0)
    return -1;
  if (!store_lock(store)) return -1;
  int wanted = next_step(store, number, &step) && !part->in_memory;
  size_t before = part->usable;
  store_unlock(store);
  if (!wanted || journal_reserve(&store->journal, fd, step.reserve_from, step.reserve_to) < 0)
    return -1;
  size_t from = window_start(part, number, &step), to = part->start + step.window_to;
  if (step.window_to && !(at = journal_window(fd, from, to))) return -1;
  int taken = 0;
  if (make_pages(store, number, &step, from, at) == 0 && store_lock(store)) {
    taken = take_step(store, number, &step, at, before);
    store_unlock(store);
  }
  if (!taken && at) journal_unmap(at, from, to);
  return taken ? 0 : -1;
}

static void make_room(struct record_store *store, uint32_t parts) {
  int fd = journal_open(&store->journal);
  for (int i = 0; fd >= 0 && i < STORE_PARTS; i++)
    if (parts >> i & 1) store_grow_file(store, i, fd);
  if (fd >= 0 && store_in_memory(store)) store_return(store, fd);
  if (fd >= 0) sys_close(fd);
}

uint32_t store_in_memory(struct record_store *store) {
  uint32_t parts = 0;
  for (int i = 0; i < STORE_PARTS; i++)
    if (store_part_of(store, i)->in_memory) parts |= 1u << i;
  return parts;
}

/* Yields the processor until the part has space or no thread makes space. Making space takes
 * microseconds, unless the file system is slow. */
static void wait_for_room(struct record_store *store, const struct store_part *part) {
  for (int i = 0; i < WAITS; i++) {
    if (__atomic_load_n(&part->usable, __ATOMIC_RELAXED) != 0 ||
        !__atomic_load_n(&store->growing, __ATOMIC_ACQUIRE))
      return;
    SYS1(SYS_sched_yield, 0);
  }
}

struct growth {
  struct record_store *store;
  uint32_t parts;
};

static void grow(void *growth_) {
  const struct growth *growth = growth_;
  make_room(growth->store, growth->parts);
}

/* Makes space for all wanted parts. none: a bit for each part that has no free space. Returns 1 if
 * this thread did it, 0 if another thread is doing it. */
static int grow_in_turn(struct record_store *store, uint32_t none) {
  if (!store_begin_growing(store)) return 0;
  struct growth growth = {store, __atomic_exchange_n(&store->wanted, 0, __ATOMIC_RELAXED) | none};
  if (stack_run(grow, &growth) < 0)
    __atomic_fetch_or(&store->wanted, growth.parts & ~none, __ATOMIC_RELAXED);
  store_end_growing(store);
  return 1;
}

/* Makes space in the file for the module, and for all other parts that have little space, because
 * no other call may follow for them. If another thread is making space and the module has none,
 * waits for that thread. */
void store_make_room_slow(struct record_store *store, enum store_module module) {
  enum { ROUNDS = 4 };
  const struct store_part *part = &store->regions[module].part;
  uint32_t none = store_hint(&part->usable) == 0 ? 1u << module : 0;
  if (!store_hint(&store->journal.has_file) || store_hint(&store->closed) ||
      (darshan_guard & GUARD_VFORK))
    return;
  uint64_t mask = signals_block();
  int mine = grow_in_turn(store, none);
  for (int i = 1; i < ROUNDS && mine && store_hint(&store->wanted) != 0; i++)
    grow_in_turn(store, 0);
  signals_restore(mask);
  if (!mine && none) wait_for_room(store, part);
}

/* Returns a bit for each part that is partly in private memory or has no space for its overflow
 * record; 0 if there is no such part. The caller holds the store's lock, so no other thread uses
 * space during the call. */
static uint32_t parts_lacking(struct record_store *store) {
  uint32_t parts = store_in_memory(store);
  for (int i = 0; i < STORE_PARTS; i++) {
    const struct store_part *part = store_part_of(store, i);
    size_t used = used_of(store, i), all = part->end - part->start;
    size_t needed =
        used + (i == STORE_NAMES ? (size_t)STORE_OWN_NAME_BYTES : store->regions[i].record_size);
    if (used && part->usable < (needed < all ? needed : all)) parts |= 1u << i;
  }
  return parts;
}

/* Calls `then` (see store_bring_back) under the store's lock if all parts are in the file. Returns
 * the result of `then`, or 0 if it was not called. Sets *parts to the parts that are not in the
 * file. */
static int settled(struct record_store *store, int (*then)(void), uint32_t *parts) {
  *parts = 0;
  if (!store_lock(store)) return 0;
  *parts = parts_lacking(store);
  int done = !*parts && then();
  store_unlock(store);
  return done;
}

/* Yields the processor to the thread that works on the file; in later turns, sleeps for 0.2 ms
 * instead. The thread has blocked its signals, so only the file system can delay it. */
static void wait_for_others(int turn) {
  enum { YIELDS = 256, NAP_NS = 200000 };
  static const struct timespec nap = {0, NAP_NS};
  if (turn < YIELDS || SYS2(SYS_nanosleep, &nap, NULL) == -1 /* EPERM */) SYS1(SYS_sched_yield, 0);
}

int store_bring_back(struct record_store *store, int (*then)(void)) {
  enum {
    ATTEMPTS = 4,
    TURNS = 50000
  }; /* tries, each of which may need more space; and turns of waiting, ten seconds */
  struct growth growth = {store, 0};
  for (int turn = 0, attempts = 0; turn < TURNS; turn++) {
    if (settled(store, then, &growth.parts)) return 1;
    if (growth.parts && (attempts == ATTEMPTS || !store->journal.has_file || store->closed)) break;
    if (growth.parts && store_begin_growing(store)) {
      stack_run(grow, &growth);
      store_end_growing(store);
      attempts++;
    } else {
      wait_for_others(turn);
    }
  }
  return 0;
}
