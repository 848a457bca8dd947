/* Finds the newest logs of this user in the folders where programs write logs (logs.h). */
#define _GNU_SOURCE
#include "logs.h"

#include <config.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

enum { DAY_DEPTH = 3 }; /* folders below a folder of logs: year/month/day */

/* --- folders --- */

/* Adds the folder of the LOGPATH directive in the configuration file. Returns 1 if there is one,
 * otherwise 0. */
static int add_configured(struct path_list *folders) {
  const char *path = getenv("DARSHAN_CONFIG_PATH");
  char line[2 * PATH_MAX], folder[PATH_MAX] = "";
  FILE *file = path && *path ? fopen(path, "re") : NULL;
  if (!file) return 0;
  while (fgets(line, sizeof(line), file)) {
    char *word = strtok(line, " \t\r\n");
    if (!word || strcmp(word, "LOGPATH") != 0) continue;
    if ((word = strtok(NULL, " \t\r\n"))) snprintf(folder, sizeof(folder), "%s", word);
  }
  fclose(file);
  if (folder[0]) path_list_add(folders, folder);
  return folder[0] != '\0';
}

/* Adds the folder that an environment variable names. Uses the first variable that is set, of those
 * that this build reads for the log folder. Returns 1 if one is set, otherwise 0. */
static int add_of_variable(struct path_list *folders) {
  char names[] = DARSHAN_LOG_PATH_VARIABLES, *rest = NULL;
  for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    const char *value = getenv(name);
    if (!value || !*value) continue;
    path_list_add(folders, value);
    return 1;
  }
  return 0;
}

void newest_folders(struct path_list *folders) {
  const char *set = getenv("DARSHAN_LOGPATH"), *home = getenv("HOME");
  char path[PATH_MAX];
  if (set && *set) {
    path_list_add(folders, set);
    return;
  }
  path_list_add(folders, "darshan-logs");
  if (add_of_variable(folders) || add_configured(folders)) return;
  if (sizeof(DARSHAN_DEFAULT_LOG_PATH) > 1)
    path_list_add(folders, DARSHAN_DEFAULT_LOG_PATH);
  else if (home && *home && snprintf(path, sizeof(path), "%s/darshan-logs", home) < PATH_MAX)
    path_list_add(folders, path);
}

/* --- logs --- */

struct found {
  char *path;
  int64_t time_ns; /* time of the last change, in ns since the epoch */
};

/* The newest logs so far, the newest first. */
struct finds {
  struct found *all;
  size_t count, most;
};

static int is_newer(const struct found *one, const struct found *two) {
  if (one->time_ns != two->time_ns) return one->time_ns > two->time_ns;
  return strcmp(one->path, two->path) > 0;
}

/* Returns 1 if the log at `path` is among the finds, or does not exist any more; otherwise 0. */
static int is_there(const struct finds *finds, const char *path) {
  struct stat one, two;
  if (stat(path, &one) < 0) return 1;
  for (size_t i = 0; i < finds->count; i++)
    if (stat(finds->all[i].path, &two) == 0 && one.st_ino == two.st_ino && one.st_dev == two.st_dev)
      return 1; /* found twice, because two of the folders are the same */
  return 0;
}

/* Adds a log to the finds if it is new enough; drops the oldest find if there are too many. */
static void add_found(struct finds *finds, const char *path, const struct stat *st) {
  struct found one = {(char *)(uintptr_t)path,
                      (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec};
  if (finds->count == finds->most && !is_newer(&one, &finds->all[finds->count - 1])) return;
  if (is_there(finds, path) || !(one.path = strdup(path))) return;
  if (finds->count == finds->most) free(finds->all[--finds->count].path);
  size_t at = finds->count++;
  for (; at > 0 && is_newer(&one, &finds->all[at - 1]); at--)
    finds->all[at] = finds->all[at - 1];
  finds->all[at] = one;
}

static int is_number(const char *name) {
  return *name && name[strspn(name, "0123456789")] == '\0';
}

static int by_number(const void *one, const void *two) {
  long a = strtol(*(char *const *)one, NULL, 10), b = strtol(*(char *const *)two, NULL, 10);
  return (a < b) - (a > b); /* sorts the latest first */
}

/* Adds this user's logs in a folder, and in folders of years, months and days below it, to the
 * finds. depth: levels of such folders above this one, 0 to DAY_DEPTH. Returns how many logs it
 * found. */
static size_t look(struct finds *finds, const char *folder, int depth);

/* Adds this user's logs in the numbered folders (years, months, days) of `folder`, the latest
 * first, until enough logs are found. Returns how many logs it found. */
static size_t look_below(struct finds *finds, const char *folder, struct path_list *numbers,
                         int depth) {
  char path[PATH_MAX];
  size_t seen = 0;
  if (numbers->count) qsort(numbers->paths, numbers->count, sizeof(numbers->paths[0]), by_number);
  for (size_t i = 0; i < numbers->count && seen < finds->most; i++)
    if (snprintf(path, sizeof(path), "%s/%s", folder, numbers->paths[i]) < PATH_MAX)
      seen += look(finds, path, depth + 1);
  return seen;
}

static size_t look(struct finds *finds, const char *folder, int depth) {
  struct path_list numbers = {NULL, 0};
  char path[PATH_MAX];
  struct stat st;
  size_t seen = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    const char *ending = strrchr(entry->d_name, '.');
    if (depth < DAY_DEPTH && is_number(entry->d_name)) path_list_add(&numbers, entry->d_name);
    if (!ending || strcmp(ending, ".darshan") != 0) continue;
    if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) continue;
    if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) continue;
    if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= PATH_MAX) continue;
    add_found(finds, path, &st);
    seen++;
  }
  if (dir) closedir(dir);
  seen += look_below(finds, folder, &numbers, depth);
  path_list_free(&numbers);
  return seen;
}

void newest_logs(struct path_list *logs, const struct path_list *folders, size_t most) {
  struct finds finds = {calloc(most, sizeof(struct found)), 0, most};
  for (size_t i = 0; finds.all && i < folders->count; i++)
    look(&finds, folders->paths[i], 0);
  for (size_t i = 0; i < finds.count; i++) {
    path_list_add(logs, finds.all[i].path);
    free(finds.all[i].path);
  }
  free(finds.all);
}

void newest_say_none(const char *command, const struct path_list *folders) {
  fprintf(stderr, "%s: found no log of yours in %s%s%s\n", command, say_path(folders->paths[0]),
          folders->count > 1 ? " or " : "",
          folders->count > 1 ? say_path(folders->paths[folders->count - 1]) : "");
}

char *newest_log(const char *command) {
  struct path_list folders = {NULL, 0}, logs = {NULL, 0};
  char *log = NULL;
  newest_folders(&folders);
  newest_logs(&logs, &folders, 1);
  if (logs.count && (log = strdup(logs.paths[0])))
    fprintf(stderr, "%s: reading the newest log: %s\n", command, say_path(log));
  else
    newest_say_none(command, &folders);
  path_list_free(&folders);
  path_list_free(&logs);
  return log;
}

/* --- the arguments of a command --- */

/* The commands that read one log. values: options of the command that take a value. others: options
 * with which the command does not read a single log. */
static const struct {
  const char *word, *values, *others;
} readers[] = {
    {"report", "-o --output --thresholds --keep --lines",
     "-h --help --version --list-thresholds --compare --campaign --per-file --transfers --trace "
     "--where --annotate --python-path --collect --ask --lake --digest --serve"},
    {"parse", "", "--help --version"},
    {"dxt-parse", "", "--help --version"},
    {"trace", "-o --output", "-h --help --version"},
    {"where", "--top --speedscope --pprof", "-h --help --version"},
};

/* Returns 1 if a list of options contains the option, which may be abbreviated. Otherwise returns
 * 0. */
static int is_in(const char *list, const char *option) {
  size_t length = strlen(option);
  int is_long = option[1] == '-';
  for (const char *at = list; *at; at += strspn(at, " ")) {
    size_t word = strcspn(at, " ");
    if ((word == length || (is_long && length > 2 && word > length)) &&
        strncmp(at, option, length) == 0)
      return 1;
    at += word;
  }
  return 0;
}

/* Returns 1 if the next argument is the value of this option: "-o", "--output", or "-vo". Otherwise
 * returns 0. */
static int takes_next(const char *values, const char *option) {
  char letter[] = "-?";
  if (option[1] == '-') return is_in(values, option);
  for (const char *at = option + 1; *at; at++) {
    letter[1] = *at;
    if (is_in(values, letter)) return at[1] == '\0';
  }
  return 0;
}

int newest_is_meant(const char *word, int argc, char *const *argv) {
  size_t i = 0;
  while (i < sizeof(readers) / sizeof(readers[0]) && strcmp(readers[i].word, word) != 0)
    i++;
  if (i == sizeof(readers) / sizeof(readers[0])) return 0;
  for (int at = 1; at < argc; at++) {
    if (strcmp(argv[at], "--") == 0) return at + 1 == argc;
    if (argv[at][0] != '-' || argv[at][1] == '\0' || is_in(readers[i].others, argv[at])) return 0;
    if (takes_next(readers[i].values, argv[at]) && ++at == argc) return 0;
  }
  return 1;
}
