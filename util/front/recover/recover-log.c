/* Makes logs from journals of killed processes and jobs (recover.h). */
#define _GNU_SOURCE
#include "recover.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "../../../runtime/records/in-place.h"
#include "../logs.h"
#include "../message.h"
#include "../paths.h"
#include "../process/directory.h"
#include "darshan-read.h"

#include <config.h>

static const int64_t second_ns = 1000000000;
enum { FRESH = 2 /* seconds: it may not be mapped yet */, HOUR = 3600 };

void recovery_tell(const struct recovery *recovery, const char *format, ...) {
  va_list list;
  if (recovery->quiet) return;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  putchar('\n');
}

/* --- folder of the log: like the runtime's, but without a configuration file --- */

/* Writes folder/YEAR/MONTH/DAY of today. Returns the length, as snprintf does. */
static int in_folder_of_the_day(char out[PATH_MAX], const char *folder) {
  struct tm tm;
  time_t now = time(NULL);
  localtime_r(&now, &tm);
  return snprintf(out, PATH_MAX, "%s/%d/%d/%d", folder, tm.tm_year + 1900, tm.tm_mon + 1,
                  tm.tm_mday);
}

static int is_dated(void) {
  const char *dated = getenv("DARSHAN_LOGPATH_DATED");
  return dated && strcmp(dated, "0") != 0;
}

int recovery_folder(const struct recovery *recovery, char out[PATH_MAX], const char *journal) {
  const char *set = getenv("DARSHAN_LOGPATH"), *home = getenv("HOME"), *shared = NULL;
  const struct passwd *user = home && *home ? NULL : getpwuid(geteuid());
  int n;
  if (user) home = user->pw_dir;
  if (!recovery->output && set && *set && is_dated()) shared = set;
  if (!recovery->output && !(set && *set) && sizeof(DARSHAN_DEFAULT_LOG_PATH) > 1)
    shared = DARSHAN_DEFAULT_LOG_PATH;
  if (shared)
    n = in_folder_of_the_day(out, shared);
  else if (recovery->output)
    n = snprintf(out, PATH_MAX, "%s", recovery->output);
  else if (set && *set)
    n = snprintf(out, PATH_MAX, "%s", set);
  else if (home && *home)
    n = snprintf(out, PATH_MAX, "%s/darshan-logs", home);
  else
    n = snprintf(out, PATH_MAX, "%.*s", (int)(strrchr(journal, '/') - journal), journal);
  size_t shared_from = shared ? strlen(shared) : SIZE_MAX;
  if (n >= PATH_MAX || (!recovery->dry_run && places_make_folders(out, shared_from) < 0)) {
    say("cannot write logs to %s: %s; use -o DIR", say_path(out), strerror(errno));
    return -1;
  }
  return 0;
}

/* --- journals --- */

struct journal {
  struct stat st;            /* status of the file */
  struct alive_traces owner; /* the process that wrote it; pid 0: unknown */
  int64_t start_sec;         /* start of the program, seconds since the epoch */
  int readable;              /* 1: the journal could be read */
};

static int64_t time_ns(struct timespec t) {
  return alive_time(t.tv_sec, t.tv_nsec);
}

void recovery_made(struct recovery *recovery, const char *folder, const char *log) {
  if (recovery->dry_run)
    recovery->planned++;
  else
    path_list_add(&recovery->logs, log);
  snprintf(recovery->folder, sizeof(recovery->folder), "%s", folder);
}

/* Reads the start and the owner from the journal. Leaves `readable` 0 if the journal cannot be
 * read. */
static void read_journal(struct journal *journal, const char *path) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_read(path, &error);
  if (!log) return;
  const struct darshan_info *info = darshan_log_info(log);
  journal->readable = 1;
  journal->start_sec = info->job.start_time_sec;
  journal->owner.start_ns = alive_time(info->job.start_time_sec, info->job.start_time_nsec);
  for (int i = 0; i < info->num_metadata; i++)
    if (strcmp(info->metadata[i].key, OWNER_KEY) == 0)
      alive_read_owner(&journal->owner, info->metadata[i].value);
  darshan_log_free(log);
}

static int may_be_mapped(const char *path) {
  struct statfs fs;
  return statfs(path, &fs) == 0 && in_place(fs.f_type);
}

/* Returns whether the owner of a journal lives, and fills in *journal; ALIVE_NOT if the file does
 * not exist or does not have the name of a journal. If the owner seems to be gone, but the journal
 * changed within FRESH seconds (HOUR if it is not readable), returns ALIVE_UNKNOWN, unless the
 * owner certainly does not exist. in_run: 1 if the rows of the run show that none of its processes
 * lives; then only a process that maps the journal is its owner, however recently the journal
 * changed. */
static enum alive_answer owner_of(struct recovery *recovery, const char *path, int in_run,
                                  struct journal *journal) {
  struct journal_name name;
  memset(journal, 0, sizeof(*journal));
  if (journal_name_read(&name, path) < 0 || lstat(path, &journal->st) < 0) return ALIVE_NOT;
  read_journal(journal, path);
  if (in_run) return alive_maps(&recovery->alive, &journal->st) ? ALIVE_YES : ALIVE_NOT;
  int64_t age = recovery->alive.here.now_ns - time_ns(journal->st.st_mtim);
  enum alive_answer answer = alive_journal(&recovery->alive, &journal->st, may_be_mapped(path),
                                           &journal->owner, name.program);
  if (answer != ALIVE_NOT || age >= (journal->readable ? FRESH : HOUR) * second_ns) return answer;
  /* If it is certain that the owner does not exist, as at the end of a batch job, no process will
   * map a new journal. */
  int is_sure = journal->owner.pid && alive_process(&recovery->alive.here, &journal->owner,
                                                    recovery->alive.here.now_ns) == ALIVE_NOT;
  return is_sure ? ALIVE_NOT : ALIVE_UNKNOWN;
}

/* Writes the path of the log in `folder` that is made from journals, the first of which is `path`.
 * The same journals always give the same path. The lowest rank is part of the name, because the
 * ranks of other nodes have the same unique number, and their log may be in the same folder.
 * Returns 0; -1 after a message if `path` is not the name of a journal or the log's path is too
 * long. */
static int name_log(char out[PATH_MAX], const char *folder, const char *path,
                    const struct journal *journal) {
  struct journal_name name;
  if (journal_name_read(&name, path) < 0) {
    say("cannot recover %s: its name is not that of a journal", say_path(path));
    return -1;
  }
  struct log_name log = {name.start, name.start_length, strtoll(name.job, NULL, 10),
                         journal->start_sec,
                         strtoull(name.unique, NULL, 10) + strtoull(name.rank, NULL, 10)};
  if (log_name_path(out, folder, &log) == 0) return 0;
  say("cannot recover %s: the path of its log in %s is too long", say_path(path), say_path(folder));
  return -1;
}

/* Locks a job's first journal, so that no other process recovers it at the same time. Returns a
 * descriptor, or -1 if the journal cannot be opened, or another process holds the lock or has
 * removed the journal. */
static int lock(const char *path, const struct stat *st) {
  struct stat now;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && lstat(path, &now) == 0 && now.st_ino == st->st_ino &&
      now.st_dev == st->st_dev)
    return fd;
  close(fd);
  return -1;
}

/* Removes the journals. Removes the first journal last, because the log's name is computed from it.
 * Prints a message for each journal that cannot be removed. */
static void remove_all(const struct path_list *files) {
  for (size_t i = files->count; i-- > 0;)
    if (unlink(files->paths[i]) < 0 && errno != ENOENT)
      say("cannot remove the journal %s: %s", say_path(files->paths[i]), strerror(errno));
}

/* Makes the log at the path `log` from journals. Returns how darshan-merge ended. */
static enum merger_end merge_journals(const struct recovery *recovery, char *log,
                                      const struct path_list *files) {
  enum { OPTIONS = 4 };
  char **argv = calloc(files->count + OPTIONS + 1, sizeof(char *));
  if (!argv) return MERGER_FAILED;
  argv[1] = (char[]){"-o"};
  argv[2] = log;
  argv[3] = (char[]){"--"};
  memcpy(argv + OPTIONS, files->paths, files->count * sizeof(char *));
  enum merger_end end = merger_run(argv, NULL, 0, recovery->quiet);
  free(argv);
  return end;
}

/* Returns 1 if the journal has no content, because the process was killed before it wrote any.
 * Otherwise returns 0. */
static int is_blank(const char *path, const struct stat *st) {
  char head[16] = "", zeros[sizeof(head)] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));
  if (fd >= 0) close(fd);
  return n >= 0 && (st->st_size == 0 || memcmp(head, zeros, sizeof(head)) == 0);
}

/* Makes the log of the journals, removes them and prints one line; in a dry run, only prints. After
 * a failure keeps the journals, and counts it in recovery->failed. A journal without content is
 * only removed. If the log already exists, it is complete and is not made again: an earlier process
 * made it and was killed before it removed the journals. */
static void make_log(struct recovery *recovery, const struct path_list *files,
                     const struct journal *first) {
  char folder[PATH_MAX], log[PATH_MAX];
  if (!first->readable && is_blank(files->paths[0], &first->st)) {
    if (!recovery->dry_run) unlink(files->paths[0]);
    recovery->planned += (size_t)recovery->dry_run;
    recovery_tell(recovery, "%s: %s, because it contains no records", say_path(files->paths[0]),
                  recovery->dry_run ? "would be removed" : "removed");
    return;
  }
  if (recovery_folder(recovery, folder, files->paths[0]) < 0 ||
      name_log(log, folder, files->paths[0], first) < 0) {
    recovery->failed++;
    return;
  }
  if (!recovery->dry_run && access(log, F_OK) < 0 &&
      merge_journals(recovery, log, files) != MERGER_MADE) {
    recovery->failed++;
    return;
  }
  if (!recovery->dry_run) remove_all(files);
  recovery_made(recovery, folder, log);
  recovery_tell(recovery,
                recovery->dry_run ? "would make %s of %zu journal%s" : "%s: made of %zu journal%s",
                say_path(log), files->count, files->count == 1 ? "" : "s");
}

void recovery_leave(const struct recovery *recovery, const char *path, enum alive_answer answer) {
  if (!recovery->dry_run) return;
  recovery_tell(recovery, "%s: skipped, because its process %s", say_path(path),
                answer == ALIVE_YES ? "still runs" : "may still run where darshan cannot see it");
}

void recover_journals(struct recovery *recovery, const struct path_list *files, int in_run) {
  struct journal first, other;
  for (size_t i = 0; i < files->count; i++) {
    struct journal *journal = i == 0 ? &first : &other;
    enum alive_answer answer = owner_of(recovery, files->paths[i], in_run, journal);
    if (answer != ALIVE_NOT) {
      recovery_leave(recovery, files->paths[i], answer);
      return;
    }
    if (recovery->alive.here.now_ns - time_ns(journal->st.st_mtim) < recovery->min_age_ns) return;
  }
  int fd = recovery->dry_run ? open("/dev/null", O_RDONLY | O_CLOEXEC)
                             : lock(files->paths[0], &first.st);
  if (fd < 0) return;
  make_log(recovery, files, &first);
  close(fd);
}
