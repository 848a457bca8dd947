/* Counts calls on the attributes and names of files. */
#include "../posix.h"

#include <errno.h>

#include "../account.h"
#include "known-paths.h"
#include "modules/posix/records.h"
#include "shared-records.h"

static inline ALWAYS_INLINE void count_stat(struct posix_file *file, uint64_t t1, uint64_t t2) {
  if (posix_lock(file)) {
    file->record->counters[POSIX_STATS]++;
    posix_add_meta_time(file, t1, t2);
    posix_unlock_other(file, SITE_LOOKUP, t1, t2);
  }
}

/* Counts a stat of the file and its time (POSIX_STATS), as count_stat does. Not inlined, so that
 * the caller needs less of the application's stack. */
static __attribute__((noinline)) void count_stat_apart(struct posix_file *file, uint64_t t1,
                                                       uint64_t t2) {
  count_stat(file, t1, t2);
}

void posix_stated_fd(int fd, uint64_t t1, uint64_t t2) {
  struct posix_file *file = posix_file_behind(fd);
  if (file) count_stat_apart(file, t1, t2);
}

static __attribute__((noinline)) void count_stat_of_path(int dirfd, const char *path, uint64_t t1,
                                                         uint64_t t2) {
  struct posix_name name;
  if (!posix_name_of(&name, DARSHAN_MOD_POSIX, dirfd, path)) return;
  uint32_t number = posix_file_enter(&name, -1);
  posix_name_done(&name);
  if (!number) return;
  count_stat_apart(posix_file_at(number), t1, t2);
  posix_file_unused(posix_file_at(number));
}

void posix_stated_name(int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  struct posix_file *file = path_file(path);
  if (LIKELY(file != NULL))
    count_stat(file, t1, t2);
  else
    count_stat_of_path(dirfd, path, t1, t2);
}

void posix_folder_stated(int dirfd, const char *path, uint64_t t1, uint64_t t2) {
  posix_other_path_event(dirfd, path, POSIX_EXT_FOLDER_STATS, t1, t2);
}

void posix_fstated(struct posix_file *file, int result, mode_t mode, uint64_t t1, uint64_t t2) {
  if (result == 0 && S_ISREG(mode)) count_stat(file, t1, t2);
}

static void count_source(struct posix_file *file, uint64_t t1, uint64_t t2) {
  if (!posix_lock(file)) return;
  file->record->counters[POSIX_RENAME_SOURCES]++;
  posix_add_meta_time(file, t1, t2);
  posix_unlock_other(file, SITE_OTHER, t1, t2);
}

static void count_target(struct posix_file *file, uint64_t source_id) {
  if (!posix_lock(file)) return;
  file->record->counters[POSIX_RENAME_TARGETS]++;
  int64_t *from = &file->record->counters[POSIX_RENAMED_FROM];
  if (*from == 0) *from = (int64_t)source_id;
  posix_unlock(file);
}

/* Returns the number of a file that has a STDIO record, because fopen opened it, and makes its
 * POSIX record if it has none; 0 for files without a STDIO record. The caller has entered the
 * runtime. */
static uint32_t file_of_stream(const struct posix_name *name) {
  const struct store_entry *entry = store_find(&darshan_store, name->id);
  if (!entry || entry->record[STORE_STDIO] == NO_RECORD) return 0;
  return posix_file_unasked(name, 0);
}

/* Returns the number of a path's file, or 0 if this process has not recorded it. Stores the id of
 * the file or, if it shares a record, the id of this record; leaves *id as it is if the path is
 * excluded. */
static uint32_t find_source(int dirfd, const char *path, uint64_t *id) {
  struct posix_name name;
  uint32_t number = 0;
  if (!posix_name_of(&name, DARSHAN_MOD_POSIX, dirfd, path)) return 0;
  *id = name.id;
  if (runtime_enter()) {
    number = posix_file_find(&name);
    if (!number) number = file_of_stream(&name);
    runtime_leave();
  }
  posix_name_done(&name);
  if (number && posix_file_at(number)->overflow) *id = posix_file_at(number)->record->base.id;
  return number;
}

/* Counts a rename of a source that this process has recorded; the target then also gets a record,
 * with the id of the source (POSIX_RENAMED_FROM). t1, t2: begin and end in ticks. Returns 1, or 0,
 * without counting, if the source is not recorded. */
static int book_rename(int from_dir, const char *from, int to_dir, const char *to, uint64_t t1,
                       uint64_t t2) {
  struct posix_name target;
  uint64_t source_id;
  uint32_t source_number = find_source(from_dir, from, &source_id), target_number = 0;
  if (!source_number) return 0;
  if (posix_name_of(&target, DARSHAN_MOD_POSIX, to_dir, to)) {
    target_number = posix_file_enter(&target, -1);
    posix_name_done(&target);
  }
  count_source(posix_file_at(source_number), t1, t2);
  if (target_number) {
    count_target(posix_file_at(target_number), source_id);
    posix_file_unused(posix_file_at(target_number));
  }
  posix_file_unused(posix_file_at(source_number));
  return 1;
}

void posix_renamed(int result, int from_dir, const char *from, int to_dir, const char *to,
                   unsigned flags, uint64_t t1, uint64_t t2) {
  enum { EXCHANGE = 2 /* RENAME_EXCHANGE */ };
  if (result != 0) {
    posix_failed(from_dir, from, t1, t2); /* the kernel reads this name first */
    return;
  }
  folder_changed(); /* the working folder may be below the renamed one */
  if (!fd_may_change()) return;
  int is_counted = book_rename(from_dir, from, to_dir, to, t1, t2);
  if (flags & EXCHANGE) is_counted |= book_rename(to_dir, to, from_dir, from, t1, t2);
  if (!is_counted) posix_other_path_event(from_dir, from, POSIX_EXT_RENAMES, t1, t2);
}
