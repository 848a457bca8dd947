#define _GNU_SOURCE
#include "recover-log.h"

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

#include "../../runtime/records/in-place.h"
#include "darshan-util.h"
#include "log-name.h"
#include "merger.h"
#include "places.h"
#include "say.h"
#include "tree.h"

#include <config.h>

static const int64_t second_ns = 1000000000;
enum { FRESH = 2 /* seconds: it may be about to be mapped */, HOUR = 3600 };

/* What is done goes to standard output, as its result. */
static void tell(const struct recovery *recovery, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void tell(const struct recovery *recovery, const char *format, ...) {
  va_list list;
  if (recovery->quiet) return;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
  putchar('\n');
}

/* --- where logs go: as the runtime has it, without a configuration file --- */

static int in_folder_of_the_day(char out[PATH_MAX], const char *folder) {
  struct tm tm;
  time_t now = time(NULL);
  localtime_r(&now, &tm);
  return snprintf(out, PATH_MAX, "%s/%d/%d/%d", folder, tm.tm_year + 1900, tm.tm_mon + 1,
                  tm.tm_mday);
}

/* fallback: the folder that the journals lie in. */
static int log_folder(const struct recovery *recovery, char out[PATH_MAX], const char *journal) {
  const char *set = getenv("DARSHAN_LOGPATH"), *home = getenv("HOME");
  const struct passwd *user = home && *home ? NULL : getpwuid(geteuid());
  int n;
  if (user) home = user->pw_dir;
  if (recovery->output)
    n = snprintf(out, PATH_MAX, "%s", recovery->output);
  else if (set && *set)
    n = snprintf(out, PATH_MAX, "%s", set);
  else if (sizeof(DARSHAN_DEFAULT_LOG_PATH) > 1)
    n = in_folder_of_the_day(out, DARSHAN_DEFAULT_LOG_PATH);
  else if (home && *home)
    n = snprintf(out, PATH_MAX, "%s/darshan-logs", home);
  else
    n = snprintf(out, PATH_MAX, "%.*s", (int)(strrchr(journal, '/') - journal), journal);
  if (n >= PATH_MAX || (!recovery->dry_run && places_make_folders(out) < 0)) {
    say("no place for logs in %s: %s", say_path(out), strerror(errno));
    return -1;
  }
  return 0;
}

/* --- journals --- */

struct journal {
  struct stat st;
  struct alive_traces traces;
  int64_t start_sec;
  int readable;
};

static int64_t time_ns(struct timespec t) {
  return t.tv_sec * second_ns + t.tv_nsec;
}

/* What it says of its process. */
static void read_journal(struct journal *journal, const char *path) {
  struct darshan_error error = {""};
  darshan_log *log = darshan_log_open(path, &error);
  if (!log) return;
  const struct darshan_info *info = darshan_log_info(log);
  journal->readable = 1;
  journal->start_sec = info->job.start_time_sec;
  journal->traces.start_ns = info->job.start_time_sec * second_ns + info->job.start_time_nsec;
  for (int i = 0; i < info->num_metadata; i++) {
    const char *value = info->metadata[i].value;
    if (strcmp(info->metadata[i].key, "pid") == 0)
      journal->traces.pid = (pid_t)strtol(value, NULL, 10);
    if (strcmp(info->metadata[i].key, "pid_namespace") == 0)
      journal->traces.pid_namespace = strtoull(value, NULL, 10);
  }
  darshan_log_close(log);
}

static int may_be_mapped(const char *path) {
  struct statfs fs;
  return statfs(path, &fs) == 0 && in_place(fs.f_type);
}

static enum alive_answer owner_of(struct recovery *recovery, const char *path,
                                  const struct tree *run, struct journal *journal) {
  struct journal_name name;
  memset(journal, 0, sizeof(*journal));
  if (journal_name_read(&name, path) < 0 || lstat(path, &journal->st) < 0) return ALIVE_NOT;
  read_journal(journal, path);
  const struct alive_traces *known = run ? tree_traces(run, journal->traces.start_ns) : NULL;
  if (known) journal->traces = *known;
  int64_t age = recovery->alive.now_ns - time_ns(journal->st.st_ctim);
  enum alive_answer answer = alive_journal(&recovery->alive, &journal->traces, &journal->st,
                                           may_be_mapped(path), name.program);
  if (answer == ALIVE_NOT && !journal->traces.pid &&
      age < (journal->readable ? FRESH : HOUR) * second_ns)
    return ALIVE_UNKNOWN;
  return answer;
}

/* The same whenever it is made of the same journal. */
static int name_log(char out[PATH_MAX], const char *folder, const char *path,
                    const struct journal *journal) {
  struct journal_name name;
  if (journal_name_read(&name, path) < 0) return -1;
  struct log_name log = {name.start, name.start_length, journal->traces.pid, journal->start_sec,
                         strtoull(name.unique, NULL, 10)};
  if (!log.pid) log.pid = strtoll(name.job, NULL, 10);
  return log_name_path(out, folder, &log);
}

/* For whoever does the same now: a descriptor to be closed, or -1: he is first, or was. */
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

static void remove_all(const struct path_list *files) {
  for (size_t i = 0; i < files->count; i++)
    if (unlink(files->paths[i]) < 0 && errno != ENOENT)
      say("%s: %s", say_path(files->paths[i]), strerror(errno));
}

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

/* The log is complete under its name or is not there: whoever made it was killed before
 * he could remove the journals, and nothing is to be done twice. */
static void make_log(struct recovery *recovery, const struct path_list *files,
                     const struct journal *first) {
  char folder[PATH_MAX], log[PATH_MAX];
  if (!first->readable) {
    if (!recovery->dry_run) remove_all(files);
    tell(recovery, "%s: %s, it held nothing", say_path(files->paths[0]),
         recovery->dry_run ? "would be removed" : "removed");
    return;
  }
  if (log_folder(recovery, folder, files->paths[0]) < 0 ||
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
  recovery->made++;
  memcpy(recovery->folder, folder, sizeof(folder));
  tell(recovery, "%s%s: made of %zu journal%s", recovery->dry_run ? "would make " : "",
       say_path(log), files->count, files->count == 1 ? "" : "s");
}

static void leave(const struct recovery *recovery, const char *path, enum alive_answer answer) {
  if (!recovery->dry_run) return;
  tell(recovery, "%s: left alone, its process %s", say_path(path),
       answer == ALIVE_YES ? "lives" : "may live where this one cannot see it");
}

/* Of a run whose journals were the last in it. */
static void remove_folder_of(const struct recovery *recovery, const char *journal) {
  char folder[PATH_MAX];
  if (recovery->dry_run) return;
  snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(journal, '/') - journal), journal);
  const char *name = strrchr(folder, '/');
  if (name && orphans_is_named(name + 1)) tree_discard(folder);
}

static void recover_journals(struct recovery *recovery, const struct path_list *files) {
  struct journal first, other;
  for (size_t i = 0; i < files->count; i++) {
    struct journal *journal = i == 0 ? &first : &other;
    enum alive_answer answer = owner_of(recovery, files->paths[i], NULL, journal);
    if (answer != ALIVE_NOT) {
      leave(recovery, files->paths[i], answer);
      return;
    }
    if (recovery->alive.now_ns - time_ns(journal->st.st_mtim) < recovery->min_age_ns) return;
  }
  int fd = recovery->dry_run ? open("/dev/null", O_RDONLY | O_CLOEXEC)
                             : lock(files->paths[0], &first.st);
  if (fd < 0) return;
  make_log(recovery, files, &first);
  close(fd);
  remove_folder_of(recovery, files->paths[0]);
}

/* --- runs --- */

static enum alive_answer anybody(struct recovery *recovery, const struct tree *run) {
  if (tree_is_held(run->path) || tree_alive(run, &recovery->alive, ALIVE_YES)) return ALIVE_YES;
  enum alive_answer all =
      tree_alive(run, &recovery->alive, ALIVE_UNKNOWN) ? ALIVE_UNKNOWN : ALIVE_NOT;
  for (size_t i = 0; i < run->journals.count && all != ALIVE_YES; i++) {
    struct journal journal;
    enum alive_answer one = owner_of(recovery, run->journals.paths[i], run, &journal);
    if (one != ALIVE_NOT) all = one;
  }
  return all;
}

static void merge_run(struct recovery *recovery, const struct tree *run) {
  char folder[PATH_MAX], log[PATH_MAX], path[PATH_MAX];
  size_t processes = run->processes.count;
  memcpy(path, run->path, sizeof(path));
  if (log_folder(recovery, folder, path) < 0) {
    recovery->failed++;
    return;
  }
  if (recovery->dry_run) {
    tell(recovery, "would make a log in %s of %s, a run of %zu process%s", say_path(folder),
         say_path(path), processes, processes == 1 ? "" : "es");
    return;
  }
  char *argv[] = {NULL,   (char[]){"--run"},   path, (char[]){"--logs"},
                  folder, (char[]){"--print"}, NULL};
  enum merger_end end = merger_run(argv, log, sizeof(log), recovery->quiet);
  if (end == MERGER_FAILED) recovery->failed++;
  if (end != MERGER_MADE) return;
  recovery->made++;
  memcpy(recovery->folder, folder, sizeof(folder));
  tell(recovery, "%s: made of a run of %zu process%s", say_path(log), processes,
       processes == 1 ? "" : "es");
}

/* Nobody but launchers and ranks, whose job has a log, or nobody at all. */
static int is_empty(const struct tree *run) {
  return run->others == 0 && run->parts.count == 0 && run->journals.count == 0;
}

static void remove_run(const struct recovery *recovery, const struct tree *run,
                       const struct stat *st) {
  if (recovery->alive.now_ns - time_ns(st->st_mtim) < HOUR * second_ns && !run->rows) return;
  if (!recovery->dry_run) tree_discard(run->path);
  tell(recovery, "%s: %s, it held nothing", say_path(run->path),
       recovery->dry_run ? "would be removed" : "removed");
}

static void recover_run(struct recovery *recovery, const char *path) {
  struct tree run;
  struct stat st;
  int readable = tree_read(&run, path) == 0 && lstat(path, &st) == 0;
  enum alive_answer answer = readable ? anybody(recovery, &run) : ALIVE_UNKNOWN;
  if (answer != ALIVE_NOT)
    leave(recovery, path, answer);
  else if (is_empty(&run))
    remove_run(recovery, &run, &st);
  else if (recovery->alive.now_ns - time_ns(st.st_mtim) >= recovery->min_age_ns)
    merge_run(recovery, &run);
  tree_free(&run);
}

void recover_orphan(struct recovery *recovery, const struct orphan *orphan) {
  if (!orphan->files.count) return;
  if (orphan->is_run)
    recover_run(recovery, orphan->files.paths[0]);
  else
    recover_journals(recovery, &orphan->files);
}
