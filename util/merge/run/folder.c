/* Manages the folder of a run: its parts and files, the locks of the mergers, and its removal
 * (folder.h). */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../reader/reader.h"
#include "../../runs/events.h"
#include "../../runs/packed.h"
#include "../journals.h"
#include "records/bytes.h"

enum { BLOCK = 1 << 16, FILE_MOST = 1 << 28 };

/* Names of the merger's own files: two locks, and the file that is being written. commit.h
 * describes its other files. */
static const char lock_name[] = "merging", fold_name[] = "folding";
static const char new_name[] = "writing";

/* --- open and close ------------------------------------------------------------------ */

/* Returns PID from the name darshan-run.PID.UNIQUE; 0 if the folder has another name. */
static int32_t top_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (strncmp(name, RUN_FOLDER, sizeof(RUN_FOLDER) - 1) != 0) return 0;
  char *end;
  long pid = strtol(name + sizeof(RUN_FOLDER) - 1, &end, 10);
  return *end == '.' && pid > 0 && pid <= INT32_MAX ? (int32_t)pid : 0;
}

/* Opens and locks a file of the folder. The kernel releases the lock when its holder exits. A lock
 * on a removed file protects nothing. waits: 1 to wait for the lock, and to open the file again if
 * it was removed meanwhile. Returns the descriptor. Returns -1 with errno: EWOULDBLOCK if another
 * process holds or held the lock, otherwise why the file cannot be opened. */
static int take_lock(const struct run_folder *folder, const char *name, int waits) {
  struct stat mine, there;
  int busy = 0;
  while (!busy) {
    int fd = openat(folder->fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return -1;
    busy = flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB) < 0 && errno != EINTR;
    if (!busy && fstat(fd, &mine) == 0 &&
        fstatat(folder->fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && mine.st_ino == there.st_ino)
      return fd;
    close(fd);
    busy |= !waits;
    errno = EWOULDBLOCK;
  }
  return -1;
}

/* Acquires the locks as folder_open describes. Returns the state; FOLDER_BAD after a message. */
static enum folder_state take_locks(struct run_folder *folder, int folds) {
  if (!folds) folder->merging = take_lock(folder, lock_name, 0);
  if (folds || folder->merging >= 0) folder->folding = take_lock(folder, fold_name, !folds);
  if (folder->folding >= 0) return FOLDER_OPEN;
  if (errno == ENOENT || errno == EWOULDBLOCK) return FOLDER_BUSY;
  merge_say("cannot lock the run directory %s: %s", folder->path, strerror(errno));
  return FOLDER_BAD;
}

enum folder_state folder_open(struct run_folder *folder, const char *path, int folds) {
  *folder = (struct run_folder){.fd = -1, .packed = -1, .merging = -1, .folding = -1};
  if (!realpath(path, folder->path)) {
    if (errno == ENOENT) return FOLDER_BUSY;
    merge_say("cannot open the run directory %s: %s", path, strerror(errno));
    return FOLDER_BAD;
  }
  folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (folder->fd < 0) {
    if (errno == ENOENT) return FOLDER_BUSY;
    merge_say("cannot open the run directory %s: %s", path, strerror(errno));
    return FOLDER_BAD;
  }
  folder->top = top_of(folder->path);
  enum folder_state state = take_locks(folder, folds);
  if (state != FOLDER_OPEN) folder_close(folder);
  return state;
}

/* Removes the lock file and releases the lock, in this order. So a process that has opened the file
 * notices that it is removed. */
static void give_lock(const struct run_folder *folder, const char *name, int *lock) {
  if (*lock < 0) return;
  unlinkat(folder->fd, name, 0);
  close(*lock);
  *lock = -1;
}

void folder_close(struct run_folder *folder) {
  give_lock(folder, fold_name, &folder->folding);
  give_lock(folder, lock_name, &folder->merging);
  if (folder->packed >= 0) close(folder->packed);
  if (folder->fd >= 0) close(folder->fd);
  folder_forget(folder);
  free(folder->found);
  free(folder->folded);
  folder->found = NULL;
  folder->folded = NULL;
  folder->fd = folder->packed = -1;
}

/* --- its parts ------------------------------------------------------------------------ */

/* Returns 1 if `name` has the form part.PID.START.NUMBER, and stores these numbers in *part;
 * otherwise 0. */
static int is_part(const char *name, struct run_part *part) {
  char again[NAME_MAX + 1];
  *part = (struct run_part){.next = -1};
  if (sscanf(name, RUN_PART "%" SCNd32 ".%" SCNd64 ".%" SCNu32, &part->pid, &part->start_ns,
             &part->number) != 3 ||
      part->pid <= 0 || part->start_ns <= 0 || part->start_ns >= RUN_TIME_MOST)
    return 0;
  folder_part_name(part, again);
  return strcmp(name, again) == 0;
}

static int is_journal(const char *name) {
  return strstr(name, "_mmap-log-") != NULL;
}

void folder_part_name(const struct run_part *part, char *out) {
  if (part->journal)
    snprintf(out, NAME_MAX + 1, "%s", part->journal);
  else
    snprintf(out, NAME_MAX + 1, RUN_PART "%" PRId32 ".%" PRId64 ".%" PRIu32, part->pid,
             part->start_ns, part->number);
}

void folder_part_path(const struct run_folder *folder, const struct run_part *part, char *out) {
  char name[NAME_MAX + 1];
  folder_part_name(part, name);
  int n = snprintf(out, PATH_MAX, "%s/%s", folder->path, name);
  if (n >= PATH_MAX) out[0] = '\0';
}

darshan_log *folder_part_read(const struct run_folder *folder, const struct run_part *part,
                              struct darshan_error *error) {
  char path[PATH_MAX];
  if (part->length) return darshan_log_read_part(folder->packed, part->packed, part->length, error);
  folder_part_path(folder, part, path);
  return darshan_log_read(path, error);
}

/* Returns 1 if folder->folded lists this part among those that another part contains, otherwise 0.
 */
static int is_folded(const struct run_folder *folder, const char *name) {
  const char *list = folder->folded;
  for (size_t at = list ? strlen(list) + 1 : 0; at < folder->folded_length;
       at += strlen(list + at) + 1)
    if (strcmp(list + at, name) == 0) return 1;
  return 0;
}

/* Appends a part to folder->found. Returns 0, or -1 if out of memory. */
static int keep(struct run_folder *folder, const struct run_part *part) {
  struct run_part *kept =
      list_more((void **)&folder->found, folder->count, &folder->room, sizeof(*kept));
  if (!kept) return -1;
  *kept = *part;
  folder->count++;
  return 0;
}

/* Appends the part or journal with this file name to folder->found; ignores other names. Returns 0,
 * or -1 if out of memory. */
static int add(struct run_folder *folder, const char *name) {
  struct run_part part;
  if (is_folded(folder, name)) return 0;
  if (!is_part(name, &part)) {
    if (!is_journal(name)) return 0;
    part = (struct run_part){.journal = strdup(name), .next = -1};
    if (!part.journal) return -1;
  }
  return keep(folder, &part);
}

static int add_packed(void *context, const struct packed_log *log) {
  struct run_folder *folder = context;
  struct run_part part = {.start_ns = log->start_ns,
                          .pid = log->pid,
                          .number = log->number,
                          .packed = log->at,
                          .length = log->length,
                          .next = -1};
  char name[NAME_MAX + 1];
  folder_part_name(&part, name);
  return is_folded(folder, name) ? 0 : keep(folder, &part);
}

/* Opens the file of small parts as folder->packed and appends its parts to folder->found. Returns
 * 0, also without such a file, or -1. */
static int add_all_packed(struct run_folder *folder) {
  if (folder->packed >= 0) close(folder->packed);
  folder->packed = packed_open(folder->fd);
  if (folder->packed < 0) return errno == ENOENT ? 0 : -1;
  return packed_each(folder->packed, add_packed, folder);
}

static int same_part(const struct run_part *left, const struct run_part *right) {
  return left->start_ns == right->start_ns && left->pid == right->pid &&
         left->number == right->number && !left->journal && !right->journal;
}

/* Compares two parts by time, for qsort. A packed part comes after a file with the same part. */
static int by_start(const void *a, const void *b) {
  const struct run_part *left = a, *right = b;
  if (left->start_ns != right->start_ns) return left->start_ns < right->start_ns ? -1 : 1;
  if (left->pid != right->pid) return left->pid < right->pid ? -1 : 1;
  if (left->number != right->number) return left->number < right->number ? -1 : 1;
  return left->packed < right->packed ? -1 : left->packed > right->packed;
}

/* Removes duplicates from the list. A process also writes a file if it cannot be sure that its part
 * was appended. */
static void drop_doubles(struct run_folder *folder) {
  size_t kept = 0;
  for (size_t i = 0; i < folder->count; i++)
    if (i == 0 || !same_part(&folder->found[i], &folder->found[kept - 1]))
      folder->found[kept++] = folder->found[i];
  folder->count = kept;
}

void folder_forget(struct run_folder *folder) {
  for (size_t i = 0; i < folder->count; i++)
    free(folder->found[i].journal);
  folder->count = 0;
}

int folder_list(struct run_folder *folder) {
  int again = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
  DIR *listing = again < 0 ? NULL : fdopendir(again);
  struct dirent *entry;
  folder_forget(folder);
  if (!listing) {
    merge_say("cannot read the run directory %s: %s", folder->path, strerror(errno));
    if (again >= 0) close(again);
    return -1;
  }
  while (result == 0 && (entry = readdir(listing)))
    result = add(folder, entry->d_name);
  closedir(listing);
  if (result == 0) result = add_all_packed(folder);
  if (folder->count) qsort(folder->found, folder->count, sizeof(*folder->found), by_start);
  drop_doubles(folder);
  return result;
}

int folder_has(const struct run_folder *folder, const char *name) {
  struct stat st;
  return fstatat(folder->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* --- its files -------------------------------------------------------------------------- */

int folder_put(const struct run_folder *folder, const char *name, const char *bytes, size_t n) {
  unlinkat(folder->fd, new_name, 0); /* left by a killed merger */
  int fd = openat(folder->fd, new_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  size_t done = 0;
  if (fd < 0) return -1;
  while (done < n) {
    ssize_t written = write(fd, bytes + done, n - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += (size_t)written;
  }
  if (close(fd) < 0 || done < n || renameat(folder->fd, new_name, folder->fd, name) < 0) {
    unlinkat(folder->fd, new_name, 0);
    return -1;
  }
  return 0;
}

int folder_get(const struct run_folder *folder, const char *name, char **text, size_t *n) {
  struct bytes bytes = {NULL, 0, 0};
  char *more;
  ssize_t got = -1;
  int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  *text = NULL;
  *n = 0;
  if (fd < 0) return errno == ENOENT || errno == ELOOP || errno == ENXIO ? 0 : -1;
  do {
    got = -1;
    if (!(more = bytes_more(&bytes, BLOCK))) break;
    got = read(fd, more, BLOCK - 1);
    bytes.n -= got > 0 ? BLOCK - (size_t)got : BLOCK;
  } while (got > 0 && bytes.n < FILE_MOST);
  int why = errno;
  close(fd);
  if (got != 0) {
    bytes_free(&bytes);
    errno = why;
    return got < 0 && why != EISDIR ? -1 : 0;
  }
  bytes.at[bytes.n] = '\0';
  *text = bytes.at;
  *n = bytes.n;
  return 1;
}

/* Removes the file to which a part is a link. Does not remove the link. */
static void unlink_elsewhere(const struct run_folder *folder, const char *name) {
  char target[PATH_MAX], own[PATH_MAX];
  const char *base = strrchr(folder->path, '/') + 1, *slash;
  if (strncmp(name, RUN_PART, sizeof(RUN_PART) - 1) != 0) return;
  ssize_t n = readlinkat(folder->fd, name, target, sizeof(target) - 1);
  if (n <= 0 || target[0] != '/') return;
  target[n] = '\0';
  slash = strrchr(target, '/');
  /* Only a target with the expected name is removed, so a link in the folder cannot remove another
   * file of the user. */
  if (snprintf(own, sizeof(own), "%s.%s", base, name) < (int)sizeof(own) &&
      strcmp(slash + 1, own) == 0)
    unlink(target);
}

void folder_unlink(const struct run_folder *folder, const char *name) {
  unlink_elsewhere(folder, name);
  unlinkat(folder->fd, name, 0);
}

/* --- removal of parts ------------------------------------------------------------------- */

struct names { /* sorted */
  const char **all;
  size_t count, room;
};

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns 1 if a log in the file of small parts is not among the names at `context`, otherwise 0.
 */
static int is_none_of(void *context, const struct packed_log *log) {
  const struct names *names = context;
  struct run_part part = {.start_ns = log->start_ns, .pid = log->pid, .number = log->number};
  char name[NAME_MAX + 1];
  const char *key = name;
  folder_part_name(&part, name);
  return !names->count || !bsearch(&key, names->all, names->count, sizeof(*names->all), by_name);
}

/* Removes the named parts from the file of small parts, and also all bytes that are no part.
 * Returns 0, or -1 with the file unchanged, for example if another process holds its lock. */
static int drop_packed(const struct run_folder *folder, const char *list, size_t n) {
  struct names names = {NULL, 0, 0};
  int result = 0, fd = packed_lock(folder->fd);
  if (fd < 0) return errno == ENOENT ? 0 : -1;
  for (size_t at = 0; result == 0 && at < n; at += strlen(list + at) + 1) {
    const char **place =
        list_more((void **)&names.all, names.count, &names.room, sizeof(*names.all));
    if (!place) result = -1;
    if (place) *place = list + at;
    names.count += place != NULL;
  }
  if (names.count) qsort(names.all, names.count, sizeof(*names.all), by_name);
  if (result == 0) result = packed_remove(folder->fd, fd, new_name, is_none_of, &names);
  close(fd);
  free(names.all);
  return result;
}

int folder_drop_parts(struct run_folder *folder, const char *list, size_t n) {
  int failed = 0;
  for (size_t at = 0; at < n; at += strlen(list + at) + 1)
    if (!strchr(list + at, '/')) {
      unlink_elsewhere(folder, list + at);
      failed |= unlinkat(folder->fd, list + at, 0) < 0 && errno != ENOENT;
    }
  return drop_packed(folder, list, n) < 0 || failed ? -1 : 0;
}

int folder_settle(const struct run_folder *folder) {
  int fd = packed_lock(folder->fd);
  if (fd < 0) return errno == EWOULDBLOCK ? -1 : 0;
  close(fd);
  return 0;
}

/* Removes `closed` after the rows: while rows exist, the file `closed` says that the run has its
 * log or needs none. Without rows, a directory that stays, because a late process has made a file
 * there, accepts no part (log_run_is_open in runtime/log/packed.c). */
void folder_remove(struct run_folder *folder) {
  struct stat st;
  drop_packed(folder, "", 0); /* removes parts that are in no log */
  if (fstatat(folder->fd, RUN_PACK, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
      (!S_ISREG(st.st_mode) || !(st.st_mode & S_IRUSR)))
    unlinkat(folder->fd, RUN_PACK, 0);
  folder_unlink(folder, new_name);
  events_remove(folder->fd);
  folder_unlink(folder, fold_name);
  folder_unlink(folder, lock_name);
  folder_unlink(folder, RUN_CLOSED);
  folder_unlink(folder, RUN_LOGS);
  events_remove_names(folder->path, 0);
  rmdir(folder->path);
}
