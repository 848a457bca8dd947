/* Finds the runtime for a run, and makes and removes the folders for its files (paths.h). */
#define _GNU_SOURCE
#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../../runtime/records/in-place.h"
#include "../reader/new-name.h"
#include "installed.h"
#include "message.h"
#include "process/directory.h"

/* Writes "folder/name". Returns 0, or -1 if it is too long. */
static int join(char out[PATH_MAX], const char *folder, const char *name) {
  return snprintf(out, PATH_MAX, "%s/%s", folder, name) < PATH_MAX ? 0 : -1;
}

/* Writes the path of this executable, without symbolic links. If /proc is missing, uses the path by
 * which the program was started. Returns 0 or -1. */
static int find_self(char out[PATH_MAX]) {
  ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
  if (n >= 0) {
    out[n] = '\0';
    return 0;
  }
  const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
  return started && realpath(started, out) ? 0 : -1;
}

int places_installed(char out[PATH_MAX], const char *name, const char *relative) {
  char here[PATH_MAX], folder[PATH_MAX];
  if (find_self(here) < 0) return -1;
  *strrchr(here, '/') = '\0';
  if (join(out, here, name) == 0 && access(out, R_OK) == 0) return 0;
  if (join(folder, here, relative) < 0 || join(out, folder, name) < 0) return -1;
  return access(out, R_OK);
}

/* Allows all users to write into a new folder if they may write into its parent, as in /tmp.
 * Returns 0 or -1. */
static int open_like_above(const char *path) {
  enum { OPEN = S_ISVTX | 0777 };
  char above[PATH_MAX];
  struct stat st;
  if (join(above, path, "..") < 0 || stat(above, &st) < 0) return -1;
  return (st.st_mode & OPEN) == OPEN ? chmod(path, OPEN) : 0;
}

int places_make_folders(const char *path, size_t shared_from) {
  char part[PATH_MAX];
  for (const char *end = path + strspn(path, "/"); *end; end += strspn(end, "/")) {
    end += strcspn(end, "/");
    memcpy(part, path, (size_t)(end - path));
    part[end - path] = '\0';
    if (mkdir(part, 0777) == 0) {
      if ((size_t)(end - path) > shared_from && open_like_above(part) < 0) return -1;
    } else if (errno != EEXIST) {
      return -1;
    }
  }
  return 0;
}

void places_say_missing(const char *name) {
  char here[PATH_MAX], path[PATH_MAX];
  if (find_self(here) == 0) {
    *strrchr(here, '/') = '\0';
    if (join(path, here, name) == 0 && access(path, R_OK) < 0 && errno == EACCES) {
      say("cannot read %s: %s; ask its owner to let you read this file and its folders",
          say_path(path), strerror(errno));
      return;
    }
  }
  say("cannot find %s: " FRONT_MISSING, name);
}

/* Finds the runtime; if DARSHAN_TRY is set (by `darshan try`), the runtime with remedies. Returns
 * 0, or -1 after a message: an installation by pip has no runtime. Called before any folder is
 * made. */
static int find_library(struct places *places) {
  char path[PATH_MAX];
  const char *name = getenv("DARSHAN_TRY") ? "libdarshan-try.so" : TREE_LIBRARY;
  if (places_installed(path, name, FRONT_LIBRARY_FOLDER) == 0 && realpath(path, places->library))
    return 0;
  places_say_missing(name);
  return -1;
}

/* Ensures that LD_PRELOAD can contain the library's path. The dynamic linker splits LD_PRELOAD at
 * blanks and colons, so if the path contains one, makes a link to the library in the run's folder.
 * Returns 0, or -1 after a message. */
static int name_library(struct places *places) {
  char path[PATH_MAX];
  if (!strpbrk(places->library, " \t\n:")) return 0;
  const char *folder = places->journals[0] ? places->journals : places->logs;
  memcpy(path, places->library, sizeof(path));
  if (strpbrk(folder, " \t\n:") || join(places->library, folder, TREE_LIBRARY) < 0 ||
      symlink(path, places->library) < 0) {
    say("cannot preload %s: its path has a blank or a colon, and %s cannot hold a link to it; set "
        "DARSHAN_MMAP_LOGPATH to a folder without blanks and colons",
        say_path(path), say_path(folder));
    return -1;
  }
  return 0;
}

/* Makes the name of log `number` for DARSHAN_LOGFILE: the name itself, then name.2, name.3 and so
 * on. Returns 0, or -1 if it is too long. */
static int numbered(char out[PATH_MAX], const struct places *places, int number) {
  int n = number == 1 ? snprintf(out, PATH_MAX, "%s", places->named)
                      : snprintf(out, PATH_MAX, "%s.%d", places->named, number);
  return n < PATH_MAX ? 0 : -1;
}

/* Returns the number of logs with the name in DARSHAN_LOGFILE, numbered ones included, up to the
 * first number that no log has. */
static int count_named(const struct places *places) {
  char path[PATH_MAX];
  int count = 0;
  while (numbered(path, places, count + 1) == 0 && access(path, F_OK) == 0)
    count++;
  return count;
}

/* Stores the absolute path of DARSHAN_LOGFILE, if it is set. Returns 0, or -1 after a message, if
 * the path is too long or the current folder is unknown. */
static int find_name(struct places *places) {
  char here[PATH_MAX];
  const char *named = getenv("DARSHAN_LOGFILE");
  if (!named || !*named) return 0;
  int fits = 1;
  if (named[0] == '/')
    fits = snprintf(places->named, sizeof(places->named), "%s", named) < PATH_MAX;
  else if (!getcwd(here, sizeof(here)))
    fits = -1;
  else
    fits = join(places->named, here, named) >= 0;
  if (fits <= 0) {
    say("cannot use DARSHAN_LOGFILE as the log's path: %s",
        fits < 0 ? strerror(errno) : strerror(ENAMETOOLONG));
    return -1;
  }
  places->named_before = count_named(places);
  return 0;
}

static int is_set_to_0(const char *variable) {
  const char *value = getenv(variable);
  return value && strcmp(value, "0") == 0;
}

/* Removes the name of a run directory from the end of the path, because the directory of an inner
 * run is made next to the directory of the outer run. Returns 1 if the path ended with such a name,
 * otherwise 0. */
static int step_out(char folder[PATH_MAX]) {
  char *slash = strrchr(folder, '/');
  if (!slash || slash == folder || strncmp(slash + 1, RUN_FOLDER, sizeof(RUN_FOLDER) - 1) != 0)
    return 0;
  *slash = '\0';
  return 1;
}

/* Makes the run directory, in which the runtime maps its journals, in `wanted`; in IN_PLACE_FOLDER
 * if journals may be mapped only there (records/in-place.h). Returns 0 or -1. */
static int make_journals(struct places *places, const char *wanted) {
  char absolute[PATH_MAX];
  struct statfs fs;
  if (statfs(wanted, &fs) == 0 && !in_place(fs.f_type) && statfs(IN_PLACE_FOLDER, &fs) == 0 &&
      in_place(fs.f_type) && access(IN_PLACE_FOLDER, W_OK) == 0)
    wanted = IN_PLACE_FOLDER;
  if (!realpath(wanted, absolute)) return -1;
  places->is_inner = step_out(absolute);
  places->is_tree = !is_set_to_0("DARSHAN_JOB_TREE") && !is_set_to_0("DARSHAN_ENABLE_NONMPI");
  const char *name = places->is_tree ? RUN_FOLDER "0.XXXXXX" : "darshan-run-XXXXXX";
  if (join(places->journals, absolute, name) < 0 || !mkdtemp(places->journals)) return -1;
  places->hold = tree_hold(places->journals);
  /* `darshan recover` writes the log to the folder to which this link points; without the link, to
   * the default folder. */
  int linked =
      join(absolute, places->journals, RUN_LOGS) == 0 && symlink(places->logs, absolute) == 0;
  (void)linked;
  return 0;
}

int places_of_run(char own[PATH_MAX], char folder[PATH_MAX], const char *run) {
  static const char name[] = "run-";
  char link[PATH_MAX];
  struct stat st;
  ssize_t n = join(link, run, RUN_LOGS) < 0 ? -1 : readlink(link, own, PATH_MAX - 1);
  own[n > 0 ? n : 0] = '\0';
  char *slash = strrchr(own, '/');
  if (!slash || slash == own || strncmp(slash + 1, name, sizeof(name) - 1) != 0) {
    own[0] = '\0';
    return -1;
  }
  snprintf(folder, PATH_MAX, "%.*s", (int)(slash - own), own);
  if (lstat(own, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid()) own[0] = '\0';
  return access(folder, W_OK | X_OK);
}

int places_make(struct places *places, const char *wanted) {
  const char *set = getenv("DARSHAN_LOGPATH");
  const char *temporary = getenv("DARSHAN_MMAP_LOGPATH");
  /* Sets only the first bytes: the other pages of the paths are not touched. */
  places->folder[0] = places->logs[0] = places->journals[0] = places->named[0] = '\0';
  places->is_tree = places->is_inner = places->named_before = 0;
  places->hold = -1;
  if (find_library(places) < 0) return -1;
  if (!wanted) wanted = set && *set ? set : "darshan-logs";
  if (strlen(wanted) >= PATH_MAX || places_make_folders(wanted, SIZE_MAX) < 0 ||
      !realpath(wanted, places->folder) || join(places->logs, places->folder, "run-XXXXXX") < 0 ||
      !mkdtemp(places->logs)) {
    say("cannot write logs to %s: %s; use -o DIR or set DARSHAN_LOGPATH", say_path(wanted),
        strerror(errno));
    return -1;
  }
  if (make_journals(places, temporary && *temporary ? temporary : "/tmp") < 0) {
    places->journals[0] = '\0'; /* the runtime then reports the missing folder */
    places->is_tree = 0;
  }
  if (name_library(places) == 0 && find_name(places) == 0) return 0;
  places_leave(places, 0);
  return -1;
}

/* Adds the runtime at the end of LD_PRELOAD: a sanitizer must stay first, and a runtime at the end
 * sees the calls of other preloaded libraries. */
static void add_preload(const char *library) {
  const char *before = getenv("LD_PRELOAD");
  if (!before || !*before) {
    setenv("LD_PRELOAD", library, 1);
    return;
  }
  char *list = NULL;
  if (strstr(before, library)) return; /* this is a run within another run */
  if (asprintf(&list, "%s:%s", before, library) >= 0) setenv("LD_PRELOAD", list, 1);
  free(list);
}

/* Adds verify_asan_link_order=0 to ASAN_OPTIONS for any program, because a program that a script
 * starts is unknown here. Without this option, a shared ASan runtime aborts a program if another
 * library is loaded before it. ASan still works, because the runtime calls its functions. The last
 * option in the variable is used. */
static void allow_before_asan(void) {
  static const char option[] = "verify_asan_link_order=0";
  const char *before = getenv("ASAN_OPTIONS");
  char *list = NULL;
  size_t length = before ? strlen(before) : 0, own = strlen(option);
  if (length >= own && strcmp(before + length - own, option) == 0) return;
  if (asprintf(&list, "%s%s%s", before ? before : "", length ? ":" : "", option) < 0) return;
  setenv("ASAN_OPTIONS", list, 1);
  free(list);
}

void places_announce(const void *context) {
  const struct places *places = context;
  add_preload(places->library);
  allow_before_asan();
  setenv("DARSHAN_LOGPATH", places->logs, 1);
  setenv("DARSHAN_LOGPATH_DATED", "0", 1);
  if (places->journals[0]) setenv("DARSHAN_MMAP_LOGPATH", places->journals, 1);
  /* A user who calls `darshan run` always gets a log, so settings that exclude the program or the
   * job are removed. */
  if (places->is_tree)
    setenv("DARSHAN_ENABLE_NONMPI", places->journals, 1);
  else
    setenv("DARSHAN_ENABLE_NONMPI", "1", 0);
  setenv("DARSHAN_SAMPLE_JOBS", "1", 1);
  if (places->sites != PLACES_SITES_AS_SET)
    setenv("DARSHAN_SITES", places->sites == PLACES_NO_SITES ? "0" : "1",
           places->sites != PLACES_SITES_UNLESS);
  if (places->named[0]) {
    char self[32];
    snprintf(self, sizeof(self), "%ld", (long)getpid());
    setenv("DARSHAN_LOGFILE_PID", self,
           0); /* not replaced by an inner run, which is not the root process */
  }
}

/* Removes each libdarshan.so from LD_PRELOAD, including those of other installations, because the
 * program would not start with it. Does nothing if out of memory. context: unused. */
void places_leave_alone(const void *context) {
  static const char ours[] = "libdarshan.so";
  (void)context;
  const char *before = getenv("LD_PRELOAD");
  char *list = before ? strdup(before) : NULL, *kept = list, *rest = NULL;
  if (!list) return;
  for (char *word = strtok_r(list, ": ", &rest); word; word = strtok_r(NULL, ": ", &rest)) {
    const char *base = strrchr(word, '/');
    size_t length = strlen(word);
    if (strcmp(base ? base + 1 : word, ours) == 0) continue;
    if (kept != list) *kept++ = ':';
    memmove(kept, word, length); /* the string never becomes longer */
    kept += length;
  }
  *kept = '\0';
  if (kept == list)
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", list, 1);
  free(list);
}

/* Lists the logs of a folder. If move_to is not NULL, first moves them there; a log that cannot be
 * moved is listed at its old path. */
static void list_logs(const char *folder, const char *move_to, struct path_list *list) {
  char path[PATH_MAX], moved[PATH_MAX];
  DIR *dir = opendir(folder);
  size_t before = list->count;
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *ending = strrchr(entry->d_name, '.');
    if (!ending || strcmp(ending, ".darshan") != 0) continue;
    if (join(path, folder, entry->d_name) < 0) continue;
    if (move_to && join(moved, move_to, entry->d_name) == 0 && rename_to_new(path, moved) == 0)
      path_list_add(list, moved);
    else
      path_list_add(list, path);
  }
  if (dir) closedir(dir);
  path_list_sort(list, before);
}

void places_leave_own(const char *own, const char *folder) {
  char link[PATH_MAX];
  struct path_list logs = {NULL, 0};
  list_logs(own, folder, &logs);
  path_list_free(&logs);
  if (join(link, own, TREE_LIBRARY) == 0) unlink(link);
  rmdir(own); /* fails while a process still writes logs there */
}

/* Lists the logs that the run wrote under the name that the user chose (DARSHAN_LOGFILE). */
static void list_named(const struct places *places, struct path_list *list) {
  char path[PATH_MAX];
  for (int i = places->named_before + 1; places->named[0]; i++) {
    if (numbered(path, places, i) < 0 || access(path, F_OK) < 0) return;
    path_list_add(list, path);
  }
}

void places_collect(const struct places *places, struct path_list *logs,
                    struct path_list *journals) {
  *logs = *journals = (struct path_list){NULL, 0};
  list_named(places, logs);
  list_logs(places->logs, places->folder, logs);
  if (places->journals[0]) list_logs(places->journals, NULL, journals);
}

void places_leave(struct places *places, int needed) {
  char link[PATH_MAX];
  if (!needed) {
    if (places->journals[0] && join(link, places->journals, TREE_LIBRARY) == 0) unlink(link);
    if (join(link, places->logs, TREE_LIBRARY) == 0) unlink(link);
    rmdir(places->logs);
  }
  if (places->hold >= 0) close(places->hold);
  places->hold = -1;
  if (places->journals[0]) tree_discard(places->journals);
}

void places_around(const struct places *places, char out[PATH_MAX]) {
  out[0] = '\0';
  if (!places->journals[0] || places->is_inner) return;
  memcpy(out, places->journals, PATH_MAX);
  *strrchr(out, '/') = '\0';
}
