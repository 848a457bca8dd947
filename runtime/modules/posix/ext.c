/* POSIX_EXT: counts events that have no counter in the POSIX record. */
#include "posix.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../../names/failed-lookups.h"
#include "../../names/groups.h"
#include "../training/training.h"
#include "account.h"
#include "asynchronous/rings.h"
#include "files/known-paths.h"
#include "files/shared-records.h"
#include "mapped/mappings.h"
#include "mapped/page-faults.h"
#include "record-id.h"

/* Returns the POSIX_EXT record, which is created at its first use; NULL if the module is off or the
 * store is full. *number: its number, 0 before the first use. The caller holds the lock that
 * protects *number. */
static struct darshan_posix_ext_record *ext_record(uint32_t *number, uint64_t id, const char *name,
                                                   size_t length) {
  struct record_store *store = &darshan_store;
  if (LIKELY(*number != 0)) return store_record(store, STORE_POSIX_EXT, *number);
  if (!module_is_on(DARSHAN_MOD_POSIX)) return NULL;
  if (store_lock(store)) {
    struct store_entry *entry = store_enter(store, id, name, length);
    *number = store_record_number(store, STORE_POSIX_EXT, entry);
    store_unlock(store);
  }
  return *number ? store_record(store, STORE_POSIX_EXT, *number) : NULL;
}

/* Returns the file's POSIX_EXT record, as ext_record does. The caller holds the lock of the file's
 * POSIX record. */
static struct darshan_posix_ext_record *ext_of(struct posix_file *file) {
  const struct darshan_base_record *base = &file->record->base;
  return ext_record(&file->aux->ext, base->id, file->name, file->name_length);
}

/* Adds the amount to a counter and, unless fcounter is negative, the time from t1 to t2 to a time
 * of the record. Does nothing if record is NULL. */
static void add(struct darshan_posix_ext_record *record, int counter, int64_t amount, int fcounter,
                uint64_t t1, uint64_t t2) {
  if (!record) return;
  record->counters[counter] += amount;
  if (fcounter < 0) return;
  record->fcounters[fcounter] += clock_length(ticks_span(t1, t2));
}

void posix_ext_locked(struct posix_file *file, int counter, int64_t amount) {
  add(ext_of(file), counter, amount, -1, 0, 0);
}

void posix_ext_time_locked(struct posix_file *file, int fcounter, uint64_t t1, uint64_t t2) {
  struct darshan_posix_ext_record *record = ext_of(file);
  if (record) record->fcounters[fcounter] += clock_length(ticks_span(t1, t2));
}

void posix_ext_inlined(uint32_t *number, uint64_t id, const char *name, size_t length) {
  add(ext_record(number, id, name, length), POSIX_EXT_INLINED, 1, -1, 0, 0);
}

/* Returns the record named OTHER_PATHS_NAME, for lookups of paths without a record, and makes
 * it if necessary; NULL if there is no space. The caller holds posix_state.other_paths->lock. */
static struct darshan_posix_ext_record *other_record(void) {
  static const char name[] = OTHER_PATHS_NAME;
  return ext_record(&posix_state.other_paths->ext, darshan_hash(name, sizeof(name) - 1, 0), name,
                    sizeof(name) - 1);
}

/* Returns an event's kind for the sites module. An event without a time (fcounter is negative) is
 * part of another event and has the kind SITE_NOTHING. */
static inline enum site_kind kind_of(int counter, int fcounter) {
  if (fcounter < 0) return SITE_NOTHING;
  switch (counter) {
  case POSIX_EXT_ACCESSES:
  case POSIX_EXT_DIR_ENTRIES:
  case POSIX_EXT_FOLDER_STATS:
  case POSIX_EXT_RESOLVES:
  case POSIX_EXT_FAILURES:
    return SITE_LOOKUP;
  case POSIX_EXT_DIR_OPENS:
    return SITE_OPEN;
  case POSIX_EXT_SYNCS:
  case POSIX_EXT_MSYNCS:
    return SITE_SYNC;
  default:
    return SITE_OTHER;
  }
}

/* Early lookups: those of a process that has no record yet. Most shells look up their working
 * folder and do nothing else, so they need no journal. At most EARLY_LOOKUPS - 1 are held back. */
enum { EARLY_LOOKUPS = 16, EARLY_KINDS = 3 };
SELDOM static struct {
  uint32_t total, count[EARLY_KINDS];
  uint64_t ticks[EARLY_KINDS];
} early;

static inline int early_kind(int counter) {
  switch (counter) {
  case POSIX_EXT_FOLDER_STATS:
    return 0;
  case POSIX_EXT_RESOLVES:
    return 1;
  case POSIX_EXT_FAILURES:
    return 2;
  default:
    return -1;
  }
}

/* Stores an event, to be counted later, if it is an early lookup: of a kind of early_kind, while
 * the process has no record, and fewer than EARLY_LOOKUPS so far. Returns 1, or 0 if it must be
 * counted now. */
static int is_early(int counter, uint64_t t1, uint64_t t2) {
  int kind = early_kind(counter);
  if (kind < 0 || !store_is_empty(&darshan_store)) return 0;
  if (__atomic_fetch_add(&early.total, 1, __ATOMIC_RELAXED) >= EARLY_LOOKUPS - 1) return 0;
  __atomic_fetch_add(&early.count[kind], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&early.ticks[kind], t2 > t1 ? t2 - t1 : 0, __ATOMIC_RELAXED);
  return 1;
}

/* Adds the early lookups to the record OTHER_PATHS_NAME. The caller holds
 * posix_state.other_paths->lock. */
static void add_early(void) {
  static const int counters[EARLY_KINDS] = {POSIX_EXT_FOLDER_STATS, POSIX_EXT_RESOLVES,
                                            POSIX_EXT_FAILURES};
  if (LIKELY(__atomic_load_n(&early.total, __ATOMIC_RELAXED) == 0)) return;
  __atomic_store_n(&early.total, 0, __ATOMIC_RELAXED);
  for (int kind = 0; kind < EARLY_KINDS; kind++) {
    uint32_t count = __atomic_exchange_n(&early.count[kind], 0, __ATOMIC_RELAXED);
    uint64_t ticks = __atomic_exchange_n(&early.ticks[kind], 0, __ATOMIC_RELAXED);
    if (count) add(other_record(), counters[kind], count, POSIX_EXT_F_META_TIME, 0, ticks);
  }
}

void posix_early_ending(void) {
  struct posix_aux *aux = posix_state.other_paths;
  if (early.total == 0 || store_is_empty(&darshan_store) || !record_lock(&aux->lock)) return;
  add_early();
  record_unlock(&aux->lock);
}

void posix_early_forked(void) {
  if (early.total) memset(&early, 0, sizeof(early));
}

/* Counts an event on a path without a record, in the POSIX_EXT record <other paths>, and notifies
 * the modules sites and training. An early lookup (is_early) is only stored. fcounter: index of the
 * time; negative: no time. */
static void add_other(int counter, int64_t amount, int fcounter, uint64_t t1, uint64_t t2) {
  struct posix_aux *aux = posix_state.other_paths;
  if (is_early(counter, t1, t2)) return;
  record_make_room(STORE_POSIX_EXT);
  if (!record_lock(&aux->lock)) return;
  add_early();
  add(other_record(), counter, amount, fcounter, t1, t2);
  record_unlock(&aux->lock);
  if (UNLIKELY(sites_on)) posix_tell_site(kind_of(counter, fcounter), t1, t2);
  training_called(kind_of(counter, fcounter), 0, t1, t2);
}

static void add_misses(struct darshan_posix_ext_record *record, int64_t count, double seconds) {
  if (!record) return;
  record->counters[POSIX_EXT_MISSES] += count;
  record->fcounters[POSIX_EXT_F_MISS_TIME] += seconds;
}

/* Counts a failed lookup, which took `seconds`, in the record of its folder. Makes this record at
 * the folder's MISSED_OFTEN-th failed lookup, and moves the earlier ones to it from the record of
 * other paths. name, length: the folder, with a slash at the end. Returns 1, or 0 if the folder has
 * no record, so that the caller counts for other paths. The caller holds the lock of other
 * paths. */
static int missed_in_folder(const char *name, size_t length, double seconds) {
  struct missed_folder *folder = length > 1 && name[0] == '/' ? missed_folder(name, length) : NULL;
  if (!folder) return 0;
  int begins = !folder->number;
  if (begins && ++folder->count < MISSED_OFTEN) {
    folder->seconds += seconds;
    return 0;
  }
  length--; /* names of records have no slash at the end */
  struct darshan_posix_ext_record *record =
      ext_record(&folder->number, begins ? darshan_hash(name, length, 0) : 0, name, length);
  if (!record) return 0;
  add_misses(record, 1, seconds);
  if (!begins) return 1;
  add_misses(record, folder->count - 1, folder->seconds);
  add_misses(other_record(), -(int64_t)(folder->count - 1), -folder->seconds);
  return 1;
}

static void add_missed(const char *name, size_t length, uint64_t t1, uint64_t t2) {
  struct posix_aux *aux = posix_state.other_paths;
  record_make_room(STORE_POSIX_EXT);
  if (!record_lock(&aux->lock)) return;
  double seconds = clock_length(ticks_span(t1, t2));
  if (!missed_in_folder(name, darshan_folder_part(name, length), seconds))
    add_misses(other_record(), 1, seconds);
  record_unlock(&aux->lock);
  if (UNLIKELY(sites_on)) posix_tell_site(SITE_LOOKUP, t1, t2);
  training_called(SITE_LOOKUP, 0, t1, t2);
}

void posix_ext(struct posix_file *file, int counter, int64_t amount, int fcounter, uint64_t t1,
               uint64_t t2) {
  if (!file) {
    add_other(counter, amount, fcounter, t1, t2);
    return;
  }
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  add(ext_of(file), counter, amount, fcounter, t1, t2);
  if (fcounter == POSIX_EXT_F_META_TIME) posix_add_meta_time(file, t1, t2);
  posix_unlock_other(file, kind_of(counter, fcounter), t1, t2);
}

__attribute__((noinline)) void posix_other_path_event(int dirfd, const char *path, int counter,
                                                      uint64_t t1, uint64_t t2) {
  struct posix_name name;
  if (!fd_may_change()) return;
  if (!posix_name_of(&name, DARSHAN_MOD_POSIX, dirfd, path)) return;
  uint32_t number = name.file;
  int counts = number || runtime_enter();
  if (!number && counts) {
    number = posix_file_find(&name);
    runtime_leave();
  }
  posix_name_done(&name);
  if (!counts) return;
  struct posix_file *file = number ? posix_file_at(number) : NULL;
  posix_ext(file, counter, 1, POSIX_EXT_F_META_TIME, t1, t2);
  if (file) posix_file_unused(file);
}

static __attribute__((noinline)) void fd_event(int fd, int counter, uint64_t t1, uint64_t t2) {
  if (fd_may_change()) posix_ext(posix_file_behind(fd), counter, 1, POSIX_EXT_F_META_TIME, t1, t2);
}

static __attribute__((noinline)) void name_event(int dirfd, const char *path, int counter,
                                                 uint64_t t1, uint64_t t2) {
  struct posix_file *file = path_file(path);
  if (LIKELY(file != NULL))
    posix_ext(file, counter, 1, POSIX_EXT_F_META_TIME, t1, t2);
  else
    posix_other_path_event(dirfd, path, counter, t1, t2);
}

/* Returns 1 if a call on one name that fails with this error has read the name, otherwise 0. */
static int is_about_the_name(int error) {
  switch (error) {
  case ENOENT:
  case EEXIST:
  case EACCES:
  case EPERM:
  case ENOTDIR:
  case EISDIR:
  case ENOTEMPTY:
  case ELOOP:
  case EROFS:
  case EBUSY:
  case ENOSPC:
  case EDQUOT:
  case ETXTBSY:
    return 1;
  default:
    return 0;
  }
}

__attribute__((noinline)) void posix_failed(int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  if (path && is_about_the_name(errno))
    posix_other_path_event(dirfd, path, POSIX_EXT_FAILURES, t1, t2);
}

void posix_path_event(int result, int dirfd, const char *path, int counter, uint64_t t1,
                      uint64_t t2) {
  if (result != 0) {
    /* For other errors the kernel may not have read the second name of a call on two names. */
    if (counter != POSIX_EXT_LINKS || errno == EEXIST) posix_failed(dirfd, path, t1, t2);
    return;
  }
  if (path[0] == '\0')
    fd_event(dirfd, counter, t1, t2);
  else
    name_event(dirfd, path, counter, t1, t2);
}

/* Counts a failed lookup of a name and adds the name to the log's sample of failed lookups
 * (missed_note). Not inlined, so that a failed call needs less of the application's stack. */
static __attribute__((noinline)) void missed(int dirfd, const char *path, uint64_t t1,
                                             uint64_t t2) {
  struct posix_name name;
  if (!posix_name_of(&name, DARSHAN_MOD_POSIX, dirfd, path)) return;
  missed_note(name.text, name.length);
  add_missed(name.text, name.length, t1, t2);
  posix_name_done(&name);
}

/* Counts a failed lookup. If the path does not exist (ENOENT): in the record of its folder or, if
 * the folder has none, of other paths. After other errors, counts a failure as posix_failed does.
 * errno must be that of the call. */
void posix_missed(int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  if (errno != ENOENT)
    posix_failed(dirfd, path, t1, t2);
  else if (path && fd_may_change())
    missed(dirfd, path, t1, t2);
}

void posix_resolved(int is_done, int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  if (!is_done)
    posix_missed(dirfd, path, t1, t2);
  else if (path[0] != '\0') /* AT_EMPTY_PATH of readlinkat */
    posix_other_path_event(dirfd, path, POSIX_EXT_RESOLVES, t1, t2);
}

void posix_link_read(ssize_t result, size_t most, int dirfd, const char *path, uint64_t t1,
                     uint64_t t2) {
  int is_no_link = most > 0 && errno == EINVAL; /* the name exists and is not a link */
  posix_resolved(result >= 0 || is_no_link, dirfd, path, t1, t2);
}

void posix_accessed(int result, int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  if (result == 0 || (errno == ENOENT && path))
    posix_path_event(0, dirfd, path, POSIX_EXT_ACCESSES, t1, t2);
  if (result != 0) posix_missed(dirfd, path, t1, t2);
}

void posix_allocated(struct posix_file *file, int64_t bytes, uint64_t t1, uint64_t t2) {
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  add(ext_of(file), POSIX_EXT_ALLOC_BYTES, bytes, -1, 0, 0);
  add(ext_of(file), POSIX_EXT_FALLOCATES, 1, POSIX_EXT_F_META_TIME, t1, t2);
  posix_add_meta_time(file, t1, t2);
  posix_unlock_other(file, SITE_OTHER, t1, t2);
}

void posix_mapped(struct posix_file *file, void *address, size_t bytes, int prot, int flags,
                  uint64_t t1, uint64_t t2) {
  record_make_room(STORE_POSIX_EXT);
  if (address == MAP_FAILED || (flags & MAP_ANONYMOUS) || !posix_lock(file)) return;
  file->record->counters[POSIX_MMAPS]++;
  add(ext_of(file), POSIX_EXT_MMAP_BYTES, (int64_t)bytes, POSIX_EXT_F_MAP_TIME, t1, t2);
  posix_add_meta_time(file, t1, t2);
  posix_unlock_other(file, SITE_OTHER, t1, t2);
  mapping_made(file, address, bytes, prot, flags);
}

void posix_mapping_called(struct posix_file *file, uint64_t t1, uint64_t t2) {
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  posix_ext_time_locked(file, POSIX_EXT_F_MAP_TIME, t1, t2);
  posix_add_meta_time(file, t1, t2);
  posix_unlock_other(file, SITE_OTHER, t1, t2);
}

void posix_mapping_seen(struct posix_file *file, const struct mapped *found) {
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  struct darshan_posix_ext_record *record = ext_of(file);
  if (record) {
    int64_t *counters = record->counters, *dirty = &counters[POSIX_EXT_MMAP_DIRTY];
    counters[POSIX_EXT_MMAP_TOUCHED] += found->touched;
    counters[POSIX_EXT_MMAP_WRITABLE] += found->writable;
    counters[POSIX_EXT_MMAP_POPULATED] += found->populated;
    counters[POSIX_EXT_MMAP_UNMEASURED] += found->unmeasured;
    counters[POSIX_EXT_MMAP_ESTIMATED] += found->estimated;
    *dirty = *dirty < 0 || found->dirty < 0 ? -1 : *dirty + found->dirty;
  }
  posix_unlock(file);
}

void posix_page_faults_seen(struct posix_file *file, const struct page_faults *found) {
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  add(ext_of(file), POSIX_EXT_MMAP_FAULTS, found->faults, -1, 0, 0);
  add(ext_of(file), POSIX_EXT_MMAP_FAULTS_FORWARD, found->forward, -1, 0, 0);
  add(ext_of(file), POSIX_EXT_MMAP_FAULTS_NEAR, found->near, -1, 0, 0);
  posix_unlock(file);
}

void posix_page_faults_lost(int64_t lost) {
  add_other(POSIX_EXT_MMAP_FAULTS_LOST, lost, -1, 0, 0);
}

/* Counts an msync of `bytes` bytes, for the file that is mapped at the address or, if none is
 * recorded there, for other paths. For a file, its time also counts as write time, like every wait
 * for storage. */
void posix_msynced(const void *address, size_t bytes, uint64_t t1, uint64_t t2) {
  struct posix_file *file = mappings_file(address);
  if (!file) {
    add_other(POSIX_EXT_MSYNC_BYTES, (int64_t)bytes, -1, 0, 0);
    add_other(POSIX_EXT_MSYNCS, 1, POSIX_EXT_F_SYNC_TIME, t1, t2);
    return;
  }
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  add(ext_of(file), POSIX_EXT_MSYNC_BYTES, (int64_t)bytes, -1, 0, 0);
  add(ext_of(file), POSIX_EXT_MSYNCS, 1, POSIX_EXT_F_SYNC_TIME, t1, t2);
  posix_add_time(file, POSIX_F_WRITE_TIME, POSIX_WRITE, ticks_span(t1, t2));
  posix_unlock_other(file, SITE_SYNC, t1, t2);
}

void posix_range_synced(struct posix_file *file, uint64_t t1, uint64_t t2) {
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  add(ext_of(file), POSIX_EXT_RANGE_SYNCS, 1, POSIX_EXT_F_SYNC_TIME, t1, t2);
  posix_add_time(file, POSIX_F_WRITE_TIME, POSIX_WRITE, ticks_span(t1, t2));
  posix_unlock_other(file, SITE_SYNC, t1, t2);
}

void posix_all_synced(struct posix_file *file, uint64_t t1, uint64_t t2) {
  posix_ext(file, POSIX_EXT_SYNCS, 1, POSIX_EXT_F_SYNC_TIME, t1, t2);
}

/* Notes that the folder with this id is listed. Returns 1 if it was listed before, otherwise 0.
 * Folders share slots, and a slot holds the last one, so some folders may be forgotten. A forked
 * child inherits the table. */
static int was_listed(uint64_t id) {
  enum { PLACES = 4096 };
  SELDOM static uint64_t listed[PLACES];
  return __atomic_exchange_n(&listed[id % PLACES], id, __ATOMIC_RELAXED) == id;
}

/* Counts the opening of a folder to list it, unless the folder is excluded, and marks its
 * descriptor fd so that entries read from it are counted. path: "" if fd was opened before
 * (fdopendir). */
void posix_folder_opened(int fd, int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  struct posix_name name = {0};
  if (!fd_may_change() || !fd_can_follow(fd)) return;
  if (path[0] != '\0') fd_dropped(fd);
  struct posix_file *file = posix_file_of(fd);
  if (file && !file->overflow)
    name.id = file->id; /* known since the descriptor was opened */
  else if (!posix_name_of(&name, DARSHAN_MOD_POSIX, dirfd, path))
    return;
  int again = was_listed(name.id);
  posix_name_done(&name);
  fd_set_stream(fd, FD_FOLDER);
  if (again) posix_ext(file, POSIX_EXT_DIR_REOPENS, 1, -1, 0, 0);
  posix_ext(file, POSIX_EXT_DIR_OPENS, 1, POSIX_EXT_F_META_TIME, t1, t2);
}

void posix_entry_read(int fd, uint64_t t1, uint64_t t2) {
  const struct fd_entry *entry = fd_entry(fd);
  if (!entry || entry->stream != FD_FOLDER) return;
  posix_ext(posix_file_of(fd), POSIX_EXT_DIR_ENTRIES, 1, POSIX_EXT_F_LIST_TIME, t1, t2);
}

int posix_ring_begin(void) {
  int outermost = !(darshan_guard & GUARD_INSIDE);
  darshan_guard |= GUARD_INSIDE;
  return outermost;
}

int posix_ring_end(int outermost) {
  if (outermost) darshan_guard &= ~(uintptr_t)GUARD_INSIDE;
  return outermost;
}

void posix_ring_counted(void) {
  add_other(POSIX_EXT_URING_RINGS, 1, -1, 0, 0);
}

void ring_unseen(uint32_t n) {
  if (n) add_other(POSIX_EXT_URING_UNSEEN, n, -1, 0, 0);
}

int posix_waited_long_for_a_pipe(int fd, uint64_t t1, uint64_t t2) {
  static const double long_open = 1e-3; /* seconds */
  /* Identifies a pipe by F_GETPIPE_SZ, which fails for other files. A stat would be counted as a
   * call of the application. */
  struct floats floats;
  floats_take(&floats);
  int was_long = clock_length(ticks_span(t1, t2)) > long_open;
  floats_give(&floats);
  return was_long && SYS3(SYS_fcntl, fd, F_GETPIPE_SZ, 0) > 0;
}

int posix_is_folder(const char *path) {
  struct stat st;
  return SYS4(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

void posix_look_for_holes(struct posix_file *file, int fd) {
  struct fd_space space;
  file->holes_known = 1;
  if (fd_space_of(fd, &space) < 0 || space.size < POSIX_SPARSE_SIZE || space.held >= space.size / 2)
    return;
  record_make_room(STORE_POSIX_EXT);
  if (!posix_lock(file)) return;
  struct darshan_posix_ext_record *record = ext_of(file);
  if (record) {
    record->counters[POSIX_EXT_SPARSE_SIZE] = space.size;
    record->counters[POSIX_EXT_SPARSE_ALLOCATED] = space.held;
  }
  posix_unlock(file);
}

void holes_ending(void) {
  if (!fd_may_change()) return;
  for (int fd = fd_next(-1); fd >= 0; fd = fd_next(fd)) {
    struct posix_file *file = posix_file_of(fd);
    if (file && posix_may_have_holes(file)) posix_look_for_holes(file, fd);
  }
}
