/* Recovers run directories (recover.h). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../message.h"
#include "../paths.h"
#include "../process/directory.h"
#include "recover.h"

static const int64_t second_ns = 1000000000;
enum { HOUR = 3600 };

/* Decides whether a process of the run lives, or a process that makes its log: ALIVE_UNKNOWN if
 * none certainly lives, but one may. */
static enum alive_answer anybody(struct recovery *recovery, const struct tree *run) {
  if (tree_is_held(run->path) || tree_alive(run, &recovery->alive.here, ALIVE_YES))
    return ALIVE_YES;
  if (tree_alive(run, &recovery->alive.here, ALIVE_UNKNOWN)) return ALIVE_UNKNOWN;
  for (size_t i = 0; i < run->journals.count; i++) {
    struct stat st;
    if (lstat(run->journals.paths[i], &st) == 0 && alive_maps(&recovery->alive, &st))
      return ALIVE_YES;
  }
  return ALIVE_NOT;
}

/* Makes the log of a run. In a dry run, only prints that it would. Returns 1 if the run has a log
 * now, or would have one; else 0. */
static int merge_run(struct recovery *recovery, const struct tree *run) {
  char folder[PATH_MAX], log[PATH_MAX], path[PATH_MAX];
  size_t processes = run->processes.count;
  memcpy(path, run->path, sizeof(path));
  if (recovery_folder(recovery, folder, path) < 0) {
    recovery->failed++;
    return 0;
  }
  if (recovery->dry_run) {
    char *ask[] = {NULL, (char[]){"--run"}, path, (char[]){"--ask"}, NULL};
    if (merger_run(ask, NULL, 0, 1) == MERGER_NOTHING) return 0;
    recovery->planned++;
    recovery_tell(recovery, "would make a log in %s of %s, a run of %zu process%s",
                  say_path(folder), say_path(path), processes, processes == 1 ? "" : "es");
    return 1;
  }
  char *argv[] = {NULL,   (char[]){"--run"},   path, (char[]){"--logs"},
                  folder, (char[]){"--print"}, NULL};
  enum merger_end end = merger_run(argv, log, sizeof(log), recovery->quiet);
  if (end == MERGER_FAILED) recovery->failed++;
  if (end != MERGER_MADE) return 0;
  recovery_made(recovery, folder, log);
  recovery_tell(recovery, "%s: made of a run of %zu process%s", say_path(log), processes,
                processes == 1 ? "" : "es");
  return 1;
}

void recover_rest(struct recovery *recovery, const char *run) {
  struct orphans orphans;
  memset(&orphans, 0, sizeof(orphans));
  orphans_find_journals(&orphans, run);
  for (size_t i = 0; i < orphans.count; i++)
    recover_journals(recovery, &orphans.all[i].files, 1);
  orphans_free(&orphans);
  if (!recovery->dry_run) tree_discard(run);
}

/* Removes a run directory without records, and prints that; keeps one without rows for an hour,
 * because its processes may not have written yet. st: status of the directory. */
static void remove_run(struct recovery *recovery, const struct tree *run, const struct stat *st) {
  int young = recovery->alive.here.now_ns / second_ns - st->st_mtim.tv_sec < HOUR;
  if (young && !run->rows) return;
  if (!recovery->dry_run) tree_discard(run->path);
  recovery->planned += (size_t)recovery->dry_run;
  recovery_tell(recovery, "%s: %s, because it contains no records", say_path(run->path),
                recovery->dry_run ? "would be removed" : "removed");
}

/* Returns 1 if a merger is working in the run directory at path: it has the merger's files, and
 * journals may disappear. Otherwise returns 0. */
static int is_busy(const char *path) {
  struct tree now;
  int busy = tree_read(&now, path) < 0 || now.strange;
  tree_free(&now);
  return busy;
}

/* Makes the log of a run, and of journals that remain, unless another process does. */
static void make_logs(struct recovery *recovery, const struct tree *run) {
  int fd = open(run->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) { /* if the lock is held, another process recovers it */
    int merged = merge_run(recovery, run);
    if (!(merged && recovery->dry_run) && !is_busy(run->path)) recover_rest(recovery, run->path);
  }
  close(fd);
}

/* Makes the logs of the run directory at `path` if none of its processes lives, and removes it. */
static void recover_tree(struct recovery *recovery, const char *path) {
  struct tree run;
  struct stat st;
  int readable = tree_read(&run, path) == 0 && lstat(path, &st) == 0;
  enum alive_answer answer = readable ? anybody(recovery, &run) : ALIVE_UNKNOWN;
  if (answer != ALIVE_NOT) {
    recovery_leave(recovery, path, answer);
  } else if (tree_is_empty(&run)) {
    remove_run(recovery, &run, &st);
  } else if (recovery->alive.here.now_ns / second_ns - st.st_mtim.tv_sec >=
             recovery->min_age_ns / second_ns) {
    make_logs(recovery, &run);
  }
  tree_free(&run);
}

/* Makes the log of a run directory in the folder that the user names, otherwise in the folder where
 * `darshan run` would have written it. */
static void recover_run(struct recovery *recovery, const char *path) {
  char own[PATH_MAX], folder[PATH_MAX], run[PATH_MAX];
  struct stat st;
  const char *output = recovery->output;
  snprintf(run, sizeof(run), "%s", path);
  if (places_of_run(own, folder, run) == 0 && !output) recovery->output = folder;
  recover_tree(recovery, run);
  recovery->output = output;
  if (own[0] && !recovery->dry_run && lstat(run, &st) < 0)
    places_leave_own(own, output ? output : folder);
}

void recover_orphan(struct recovery *recovery, const struct orphan *orphan) {
  if (!orphan->files.count) return;
  if (orphan->is_run)
    recover_run(recovery, orphan->files.paths[0]);
  else
    recover_journals(recovery, &orphan->files, 0);
}
