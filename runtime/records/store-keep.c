/* Moves records from private memory to a file, while threads continue to count. Everything is
 * prepared without a lock. Then all records are locked for some microseconds and copied, and
 * windows (mappings) of the file replace the memory. */
#include "../intercept/signals/signals.h"
#include "../intercept/spin.h"
#include "../names/failed-lookups.h"
#include "after-chroot.h"
#include "store-room.h"

#include <string.h>

enum { MOVES = 192, TRIES = 8 };

enum { FRAME = -1 };

struct move {
  int part; /* number of the part, or FRAME */
  char *old, *new;
  size_t from, to; /* offsets in the file */
  size_t used;     /* bytes to copy */
  size_t room;     /* bytes to reserve in the file */
};

struct moves {
  int count, failed;
  uint32_t parts; /* a bit for each part that has data to move */
  size_t ahead;   /* number of bytes by which a part may grow until it is moved */
  size_t used[STORE_PARTS],
      mapped[STORE_PARTS]; /* sizes of each part when the moves were planned */
  struct move move[MOVES];
};

static size_t used_of(const struct record_store *store, int number) {
  if (number == STORE_NAMES) return store->names.used;
  return (size_t)store->regions[number].count * store->regions[number].record_size;
}

/* Returns how many bytes of the range from `from` to `to` are below `end`. */
static size_t below(size_t from, size_t to, size_t end) {
  return end <= from ? 0 : end < to ? end - from : to - from;
}

/* Adds the move of a window to the plan. from and to: offsets in the part. old: the memory of
 * `from`. Marks the plan as failed if it has no free element. */
static void add(struct record_store *store, struct moves *moves, int part, char *old, size_t from,
                size_t to) {
  if (moves->count == MOVES) {
    moves->failed = 1;
    return;
  }
  size_t start = part == FRAME ? 0 : store_part_of(store, part)->start;
  size_t used = part == FRAME ? to : used_of(store, part);
  moves->move[moves->count++] = (struct move){.part = part,
                                              .old = old,
                                              .from = start + from,
                                              .to = start + to,
                                              .used = below(from, to, used),
                                              .room = below(from, to, used + moves->ahead)};
}

/* Adds the moves of the windows with names. If the file exists, only private memory is moved: a
 * page of the file that a thread updates at the same time must not be copied onto itself. The data
 * of a window end where those of the next window begin, although its mapping may extend further. */
static void add_names(struct record_store *store, struct moves *moves) {
  struct store_names *names = &store->names;
  int whole = !store->journal.has_file;
  for (uint32_t i = whole ? 1 : 0; i < names->windows;
       i++) { /* the first window is part of the frame's move */
    const struct store_window *window = &names->window[i];
    size_t from = whole ? window->from : window->memory;
    size_t to = i + 1 < names->windows ? names->window[i + 1].from : names->part.mapped;
    if (from < to) add(store, moves, STORE_NAMES, window->at + (from - window->from), from, to);
  }
}

static void add_records(struct record_store *store, struct moves *moves, int number) {
  const struct store_part *part = &store->regions[number].part;
  const struct segments *records = &store->regions[number].records;
  size_t kept = store->journal.has_file ? part->kept : 0;
  for (uint32_t k = 0; k < SEGMENTS_MOST && records->zero[k]; k++) {
    size_t from = (size_t)segments_first(records, k) * records->item_size;
    size_t to = from + (size_t)segments_count(records, k) * records->item_size;
    if (to > part->mapped) to = part->mapped;
    if (from < kept) from = kept;
    if (from < to) add(store, moves, number, records->zero[k] + from, from, to);
  }
}

static uint32_t parts_to_move(struct record_store *store) {
  return store->journal.has_file ? store_in_memory(store) : UINT32_MAX;
}

/* Plans the moves of all data that are now in private memory. The caller holds the store's lock. */
static void look(struct record_store *store, struct moves *moves) {
  moves->count = moves->failed = 0;
  moves->parts = parts_to_move(store);
  if (!store->journal.has_file) add(store, moves, FRAME, store->frame, 0, STORE_FIRST_ROOM);
  if (moves->parts >> STORE_NAMES & 1) add_names(store, moves);
  for (int i = 0; i < STORE_MODULES; i++)
    if (moves->parts >> i & 1) add_records(store, moves, i);
  for (int i = 0; i < STORE_PARTS; i++) {
    moves->used[i] = used_of(store, i);
    moves->mapped[i] = store_part_of(store, i)->mapped;
  }
}

/* Returns 1 if a part now has other windows, or more data than its moves have space for; otherwise
 * 0. */
static int has_changed(struct record_store *store, const struct moves *moves) {
  if (moves->parts != parts_to_move(store)) return 1;
  for (int i = 0; i < STORE_PARTS; i++)
    if (used_of(store, i) > moves->used[i] + moves->ahead ||
        moves->mapped[i] != store_part_of(store, i)->mapped)
      return 1;
  return 0;
}

/* Copies the data of all moves to the windows of the file, including data that were added since the
 * moves were planned. */
static void copy(struct record_store *store, struct moves *moves) {
  for (int i = 0; i < moves->count; i++) {
    struct move *move = &moves->move[i];
    if (move->part != FRAME) {
      size_t end = store_part_of(store, move->part)->start + used_of(store, move->part);
      move->used = below(move->from, move->to, end);
    }
    memcpy(move->new, move->old, move->used);
  }
}

static void drop(struct moves *moves) {
  for (int i = 0; i < moves->count; i++) {
    struct move *move = &moves->move[i];
    if (move->new) journal_unmap(move->new, move->from, move->to);
    move->new = NULL;
  }
}

static int hold_guards(struct record_store *store, int inner) {
  for (int i = 0; i < STORE_GUARDS && store->guards[inner][i]; i++) {
    if (!spin_lock(inner ? SPIN_TABLE : SPIN_RECORD, store->guards[inner][i])) return -1;
    store->guards_held[inner] = i + 1;
  }
  return 0;
}

/* Locks the records of a region that are not locked yet. states: the module's table whose items
 * begin with the locks; NULL: the module has no locks, and nothing is done. Returns 0, or -1 if a
 * lock is not available. The caller does not hold the store's lock, so other threads may make
 * records at the same time. */
static int hold_records(struct store_region *region, const struct segments *states) {
  uint32_t count = states ? __atomic_load_n(&region->count, __ATOMIC_ACQUIRE) : 0;
  while (region->held < count) {
    if (!spin_lock(SPIN_RECORD, segments_at(states, region->held + 1))) return -1;
    region->held++;
  }
  return 0;
}

static void release_guards(struct record_store *store, int inner) {
  while (store->guards_held[inner] > 0)
    spin_unlock(store->guards[inner][--store->guards_held[inner]]);
}

/* Locks the records that were made since hold_all, in the prescribed order of locks. Returns 0 or
 * -1. */
static int hold_more(struct record_store *store) {
  int result = 0;
  release_guards(store, 1);
  for (int i = 0; i < STORE_MODULES && result == 0; i++)
    result = hold_records(&store->regions[i], store->beside[i][0]);
  return result == 0 ? hold_guards(store, 1) : result;
}

static int all_are_held(const struct record_store *store) {
  for (int i = 0; i < STORE_MODULES; i++) {
    const struct store_region *region = &store->regions[i];
    if (store->beside[i][0] && region->held != region->count) return 0;
  }
  return 1;
}

/* Locks all records. No other thread ever holds two record locks at once. Returns 0, or -1 if a
 * thread does not release its lock. In both cases the caller releases all locks. */
static int hold_all(struct record_store *store) {
  __atomic_store_n(&darshan_spin_steady, spin_token(), __ATOMIC_RELAXED);
  return hold_guards(store, 0) == 0 ? hold_more(store) : -1;
}

static void release_all(struct record_store *store) {
  release_guards(store, 1);
  for (int i = 0; i < STORE_MODULES; i++) {
    struct store_region *region = &store->regions[i];
    for (; region->held > 0; region->held--)
      spin_unlock(segments_at(store->beside[i][0], region->held));
  }
  release_guards(store, 0);
  __atomic_store_n(&darshan_spin_steady, 0, __ATOMIC_RELAXED);
}

/* Makes the pages for the data of a move writable, including the head of an annex block, which
 * precedes its first record. Returns 0 or -1. */
static int make_pages(struct record_store *store, const struct move *move) {
  int first = move->part >= STORE_FIRST_ANNEX && move->part < STORE_MODULES &&
              move->from == store_part_of(store, move->part)->start;
  size_t head = first ? sizeof(struct darshan_annex_block) : 0;
  return journal_make_pages(move->new - head, head + move->room);
}

/* Maps windows of the file for all moves and reserves space for their data. Returns 0 or -1. */
static int prepare(struct record_store *store, struct moves *moves, int fd) {
  if (moves->failed) return -1;
  for (int i = 0; i < moves->count; i++) {
    struct move *move = &moves->move[i];
    size_t to = journal_page_up(move->from + move->room);
    if (move->room && journal_reserve(&store->journal, fd, move->from, to) < 0) return -1;
  }
  for (int i = 0; i < moves->count; i++) {
    struct move *move = &moves->move[i];
    move->new = journal_window(fd, move->from, move->to);
    if (!move->new) return -1;
  }
  for (int i = 0; i < moves->count; i++)
    if (make_pages(store, &moves->move[i]) < 0) return -1;
  return 0;
}

/* Updates the sizes of a part (reserved, kept, usable) after its data were moved to the file. Sets
 * its bit in `wanted` if it has little space left. */
static void settle_part(struct record_store *store, const struct moves *moves, int number) {
  struct store_part *part = store_part_of(store, number);
  size_t room = below(0, part->mapped, moves->used[number] + moves->ahead);
  size_t reserved = room ? journal_page_up(part->start + room) : 0;
  if (number == STORE_NAMES && reserved < STORE_FIRST_ROOM) reserved = STORE_FIRST_ROOM;
  if (!store->journal.has_file || part->reserved < reserved) part->reserved = reserved;
  part->kept = part->reserved ? part->reserved - part->start : 0;
  if (part->kept > part->mapped) part->kept = part->mapped;
  store_may_use(part, part->kept);
  part->in_memory = 0;
  for (uint32_t i = 0; number == STORE_NAMES && i < store->names.windows; i++)
    store->names.window[i].memory = SIZE_MAX;
  if (part->usable < part->mapped)
    __atomic_or_fetch(&store->wanted, 1u << number, __ATOMIC_RELAXED);
}

static void settle_annex(struct record_store *store) {
  for (int i = STORE_FIRST_ANNEX; i < STORE_MODULES; i++) {
    struct store_region *region = &store->regions[i];
    size_t head = region->part.start - sizeof(struct darshan_annex_block);
    if (!region->part.reserved) region->part.reserved = head + JOURNAL_PAGE;
    if (!region->records.zero[0]) continue;
    region->block = (struct darshan_annex_block *)(void *)region->records.zero[0] - 1;
    region->block->flags = region->overflow ? DARSHAN_ANNEX_PARTIAL : 0;
  }
}

/* Writes the lengths of all regions and of the names to the frame. Otherwise they would be written
 * only when a later record is made, and there may be none. */
static void publish_all(struct record_store *store) {
  for (int i = 0; i < STORE_MODULES; i++)
    if (store->regions[i].count) store_publish(store, &store->regions[i]);
  store_publish_names(store);
}

/* Replaces the memory by the windows of the file. The caller holds all locks. Returns 0, or -1 if a
 * mapping fails; the memory that is not replaced then remains in use. */
static int replace(struct record_store *store, struct moves *moves) {
  copy(store, moves);
  for (int i = 0; i < moves->count; i++) {
    struct move *move = &moves->move[i];
    if (journal_replace(move->old, move->new, move->from, move->to) < 0) return -1;
    move->new = NULL;
  }
  for (int i = 0; i < STORE_PARTS; i++)
    if (moves->parts >> i & 1) settle_part(store, moves, i);
  __atomic_store_n(&store->journal.has_file, 1, __ATOMIC_RELAXED);
  settle_annex(store);
  publish_all(store);
  return 0;
}

/* Copies the data and replaces the memory, if data that were added since fit into the prepared
 * space. The caller has locked all records except those that are being made. Returns 1 if the
 * memory is replaced, 0 if too many data were added, -1 on failure. */
static int replace_unless_changed(struct record_store *store, struct moves *moves) {
  enum { HOLDS = 64, ONE_MORE = 2 };
  int result = ONE_MORE;
  for (int i = 0; i < HOLDS && result == ONE_MORE; i++) {
    if (i > 0 && hold_more(store) < 0) return -1;
    if (!store_lock(store)) return -1;
    if (store->closed)
      result = -1;
    else if (has_changed(store, moves))
      result = 0;
    else if (all_are_held(store))
      result = replace(store, moves) == 0 ? 1 : -1;
    store_unlock(store);
  }
  return result == ONE_MORE ? 0 : result;
}

/* Plans the moves, prepares the file and replaces the memory once. Returns the same values as
 * replace_unless_changed. tries: number of earlier tries, after each of which more space is
 * prepared. */
static int try_once(struct record_store *store, struct moves *moves, int fd, int tries) {
  if (!store_lock(store)) return -1;
  moves->ahead = tries > 0 ? (size_t)JOURNAL_PAGE << 2 * (tries - 1) : 0;
  look(store, moves);
  store_unlock(store);
  int result = prepare(store, moves, fd);
  if (result == 0) {
    result = hold_all(store);
    if (result == 0) result = replace_unless_changed(store, moves);
    release_all(store);
  }
  drop(moves);
  return result;
}

SELDOM static struct moves moves; /* belongs to the thread that has set growing */

void store_return(struct record_store *store, int fd) {
  uint32_t annex = store_in_memory(store) >> STORE_FIRST_ANNEX;
  int result = 0;
  if ((annex & ~(1u << (STORE_NAMES - STORE_FIRST_ANNEX))) && !store->annex_ready)
    result = store_write_annex(store, fd);
  for (int i = 0; i < TRIES && result == 0; i++)
    result = try_once(store, &moves, fd, i);
  /* If other threads added data in every try, the next thread tries again. */
  if (result == 0) __atomic_or_fetch(&store->wanted, store_in_memory(store), __ATOMIC_RELAXED);
}

static int keep(struct record_store *store) {
  int fd = journal_create(&store->journal), result = 0;
  if (fd < 0) return -1;
  int annex = 0;
  for (int i = STORE_FIRST_ANNEX; i < STORE_MODULES; i++)
    annex |= store->regions[i].part.mapped != 0;
  store->annex_ready = 0;
  if (annex && store_write_annex(store, fd) < 0) result = -1;
  for (int i = 0; i < TRIES && result == 0; i++)
    result = try_once(store, &moves, fd, i);
  if (result == 1) {
    for (int i = 0; i < STORE_FIRST_ANNEX; i++) /* nearly every process needs these parts next */
      if (i == 0 || (store->regions[i].of == STORE_OF_LAYERS && store->regions[i].limit > 0))
        store_grow_file(store, i, fd);
  } else {
    outside_unlink(store->journal.path);
  }
  sys_close(fd);
  return result == 1 ? 0 : -1;
}

int store_keep(struct record_store *store) {
  uint64_t mask = signals_block();
  int result = -1;
  if (store_begin_growing(store)) {
    result = keep(store);
    store_end_growing(store);
  }
  signals_restore(mask);
  return result;
}

/* Writes the heads and the trailer of the annex, with lengths as planned in the moves, and the
 * failed lookups. Returns 0 or -1. */
static int put_annex(struct record_store *store, const struct moves *moves, int fd) {
  SELDOM static struct darshan_lookups lookups;
  struct darshan_annex_trailer trailer = {.magic = DARSHAN_ANNEX_MAGIC,
                                          .version = DARSHAN_ANNEX_VERSION,
                                          .num_blocks = STORE_MODULES - STORE_FIRST_ANNEX,
                                          .flags = DARSHAN_ANNEX_LIVE};
  size_t head = 0, first = 0, end = store->journal.size;
  for (int i = STORE_FIRST_ANNEX; i < STORE_MODULES; i++) {
    const struct store_region *region = &store->regions[i];
    struct darshan_annex_block block = {.module = (uint32_t)region->module_id,
                                        .version = region->version,
                                        .comp_type = DARSHAN_UNCOMPRESSED,
                                        .flags = region->overflow ? DARSHAN_ANNEX_PARTIAL : 0,
                                        .stored_len = region->part.end - region->part.start,
                                        .raw_len = moves->used[i]};
    head = region->part.start - sizeof(block);
    if (i == STORE_FIRST_ANNEX) first = head;
    if (sys_put(fd, &block, sizeof(block), head) < 0) return -1;
  }
  trailer.offset = first;
  trailer.length = store->regions[STORE_MODULES - 1].part.end - first;
  missed_copy(&lookups);
  if (sys_put(fd, &lookups, sizeof(lookups), end - JOURNAL_PAGE) < 0) return -1;
  return sys_put(fd, &trailer, sizeof(trailer), end - sizeof(trailer));
}

/* Writes the planned moves to the file, and the header last. Data that are added later are not
 * written. Returns 0 or -1. */
static int put_all(struct record_store *store, int fd) {
  SELDOM static struct darshan_header header;
  if (!store_lock(store)) return -1;
  moves.ahead = 0;
  look(store, &moves);
  memcpy(&header, store->frame, sizeof(header));
  store_unlock(store);
  if (moves.failed || !sys_may_grow_to(store->journal.size)) return -1;
  for (int i = 0; i < moves.count; i++) {
    const struct move *move = &moves.move[i];
    size_t skip = i == 0 ? sizeof(header)
                         : 0; /* the header is at the start of the frame and is written last */
    if (move->used > skip &&
        sys_put(fd, move->old + skip, move->used - skip, move->from + skip) < 0)
      return -1;
  }
  if (put_annex(store, &moves, fd) < 0) return -1;
  return sys_put(fd, &header, sizeof(header), 0);
}

int store_snapshot(struct record_store *store, int fd) {
  uint64_t mask = signals_block();
  int result = -1;
  if (store->frame && store_begin_growing(store)) {
    result = put_all(store, fd);
    store_end_growing(store);
  }
  signals_restore(mask);
  return result;
}

/* Returns STORE_KEPT if the file is the expected log, STORE_LOST if it does not exist or is not a
 * log. If the file cannot be opened (the application uses all descriptors, or its user may no
 * longer read the file), compares only its identity and size. Returns STORE_UNSEEN if even that is
 * impossible. */
static enum store_kept look_at_file(const struct record_store *store) {
  enum { GONE = -2 /* ENOENT */, NO_FOLDER = -20 /* ENOTDIR */ };
  const struct journal *journal = &store->journal;
  struct darshan_header header;
  struct stat st;
  ssize_t length = sizeof(header);
  int fd = journal_open(journal);
  int result = fd < 0 ? journal_look(journal, &st) : (int)SYS2(SYS_fstat, fd, &st);
  memcpy(&header, store->frame, sizeof(header));
  if (fd >= 0) {
    length = sys_pread(fd, &header, sizeof(header), 0);
    sys_close(fd);
  }
  if (result == GONE || result == NO_FOLDER) return STORE_LOST;
  if (result < 0 || length < 0) return STORE_UNSEEN;
  if ((size_t)st.st_size < journal->size || length != (ssize_t)sizeof(header) ||
      header.magic != DARSHAN_LOG_MAGIC || memcmp(&header, store->frame, sizeof(header)) != 0)
    return STORE_LOST;
  /* Returns STORE_KEPT if the file has a name, or a record without a name. */
  for (int i = 0; i < STORE_FIRST_ANNEX && header.names.len == 0; i++)
    if (store->regions[i].count > 0) return STORE_KEPT;
  return header.names.len > 0 ? STORE_KEPT : STORE_LOST;
}

enum store_kept store_kept(const struct record_store *store) {
  if (!store->frame || !store->journal.has_file) return STORE_LOST;
  enum store_kept seen = outside_is_lost() ? STORE_KEPT : look_at_file(store);
  if (seen == STORE_LOST) return seen;
  int partly = store->names.used > store->names.part.kept, some = 0;
  for (int i = 0; i < STORE_MODULES; i++) {
    size_t used = used_of(store, i), kept = store->regions[i].part.kept;
    partly |= used > kept;
    /* Considers only records of files: a heat map or an annex record is useless alone. */
    if (store->regions[i].of != STORE_OF_LAYERS && store->regions[i].of != STORE_OF_ANNEX)
      some |= used && kept >= store->regions[i].record_size;
  }
  if (!partly) return seen;
  if (!some) return STORE_LOST;
  return seen == STORE_KEPT ? STORE_KEPT_PARTLY : STORE_UNSEEN_PARTLY;
}
