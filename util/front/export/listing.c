/* Finds journals and parts of runs in folders that other users can write to. See listing.h. */
#define _GNU_SOURCE
#include "listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../runtime/format/run.h"
#include "file-status.h"

enum { ENTRIES_MOST = 1000000, RUNS_MOST = 65536 };

static const char mark[] = "_mmap-log-", run_folder[] = "darshan-run";

struct listing {
  struct followed *followed;
  int folder;
  dev_t device;
  int runs; /* run directories still allowed; -1: this is one */
};

/* Stores pid and start from the name part.PID.START.N. Returns 1, or 0 if this is not the name of a
 * part. */
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

static void take(struct listing *listing, const struct dirent *entry) {
  int is_run = listing->runs < 0;
  struct followed_file file = {.folder = listing->folder,
                               .name = entry->d_name,
                               .inode = entry->d_ino,
                               .device = listing->device,
                               .only_own = geteuid() != 0};
  if (strstr(entry->d_name, mark) || (is_run && read_part(entry->d_name, &file)))
    followed_found(listing->followed, &file);
  else if (listing->runs > 0 && strncmp(entry->d_name, run_folder, sizeof(run_folder) - 1) == 0) {
    listing->runs--;
    list_run(listing, entry->d_name);
  }
}

/* Lists an open folder, which it closes. Returns 0, or -1 with errno set. */
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
