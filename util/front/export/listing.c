/* Finds journals and parts of runs in folders to which other users can write (followed.h). */
#define _GNU_SOURCE
#include "followed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../runs/packed.h"

enum { ENTRIES_MOST = 1000000, RUNS_MOST = 65536 }; /* entries and run directories of a folder */

static const char mark[] = "_mmap-log-", run_folder[] = "darshan-run";

struct listing {
  struct followed *followed;
  int folder;   /* its descriptor */
  dev_t device; /* of the folder; for a run directory: of the folder that contains it */
  int runs;     /* number of run directories that may still be listed; -1: this is one */
};

/* Stores pid and start, taken from a name part.PID.START.N. Returns 1, or 0 if this is not the name
 * of a part. */
static int read_part(const char *name, struct followed_file *file) {
  char *end;
  if (strncmp(name, RUN_PART, sizeof(RUN_PART) - 1) != 0) return 0;
  file->pid = strtoll(name + sizeof(RUN_PART) - 1, &end, 10);
  if (*end != '.') return 0;
  file->start_ns = strtoll(end + 1, &end, 10);
  file->is_part = 1;
  return *end == '.' && file->pid > 0 && file->pid <= INT32_MAX && file->start_ns > 0;
}

static int list(struct listing *listing);

struct packed_listing {
  struct followed *followed;
  struct followed_file file;
  int left; /* number of further parts that may be examined */
};

/* Passes a part in a packed file to followed_found. context: the struct packed_listing. Returns -1
 * if no more parts may be examined, otherwise 0. */
static int take_packed(void *context, const struct packed_log *log) {
  struct packed_listing *packed = context;
  char name[NAME_MAX + 1];
  snprintf(name, sizeof(name), RUN_PART "%" PRId32 ".%" PRId64 ".%" PRIu32, log->pid, log->start_ns,
           log->number);
  struct followed_file file = packed->file;
  file.name = name;
  file.pid = log->pid;
  file.start_ns = log->start_ns;
  file.at = log->at;
  file.length = log->length;
  file.is_part = 1;
  followed_found(packed->followed, &file);
  return packed->left-- > 0 ? 0 : -1;
}

/* Lists the parts in a run's packed file. */
static void list_packed(const struct listing *run, const struct followed_file *file) {
  struct packed_listing packed = {run->followed, *file, ENTRIES_MOST};
  struct file_status status;
  if (file_status(run->folder, RUN_PACK, &status) != 0 || !S_ISREG(status.mode) ||
      status.device != run->device || (file->only_own && status.owner != geteuid()))
    return;
  int fd = packed_open(run->folder);
  if (fd < 0) return;
  packed_each(fd, take_packed, &packed);
  close(fd);
}

/* Lists a run directory. Skips a folder on another device, because a user may have mounted a file
 * system there that hangs. */
static void list_run(const struct listing *above, const char *name) {
  struct file_status status;
  if (file_status(above->folder, name, &status) != 0 || !S_ISDIR(status.mode) ||
      status.device != above->device || (geteuid() != 0 && status.owner != geteuid()))
    return;
  struct listing run = {above->followed, -1, above->device, -1};
  run.folder =
      openat(above->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (run.folder >= 0) list(&run);
}

/* Handles an entry of the folder: a journal or part is passed to followed_found, a run directory is
 * listed, other entries are ignored. */
static void take(struct listing *listing, const struct dirent *entry) {
  int is_run = listing->runs < 0;
  struct followed_file file = {.folder = listing->folder,
                               .name = entry->d_name,
                               .inode = entry->d_ino,
                               .device = listing->device,
                               .only_own = geteuid() != 0};
  if (strstr(entry->d_name, mark) || (is_run && read_part(entry->d_name, &file)))
    followed_found(listing->followed, &file);
  else if (is_run && strcmp(entry->d_name, RUN_PACK) == 0)
    list_packed(listing, &file);
  else if (listing->runs > 0 && strncmp(entry->d_name, run_folder, sizeof(run_folder) - 1) == 0) {
    listing->runs--;
    list_run(listing, entry->d_name);
  }
}

/* Lists an open folder, and closes it. Returns 0, or -1 with errno set. Also returns -1, with errno
 * unchanged, for a run directory on another device than the log folder. */
static int list(struct listing *listing) {
  struct stat status;
  struct dirent *entry;
  DIR *folder = NULL;
  if (fstat(listing->folder, &status) != 0 || !(folder = fdopendir(listing->folder))) {
    int error = errno;
    close(listing->folder);
    errno = error;
    return -1;
  }
  if (listing->runs < 0 && status.st_dev != listing->device) {
    closedir(folder);
    return -1;
  }
  listing->device = status.st_dev;
  for (int i = 0; i < ENTRIES_MOST && (entry = readdir(folder)); i++)
    take(listing, entry);
  closedir(folder);
  return 0;
}

int listing_find(struct followed *followed, const char *folder) {
  struct listing listing = {followed, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0,
                            RUNS_MOST};
  return listing.folder < 0 ? -1 : list(&listing);
}
