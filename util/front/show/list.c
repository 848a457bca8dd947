/* The subcommand list: prints the newest logs, one line each (commands.h). */
#define _GNU_SOURCE
#include "../commands.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../reader/called.h"
#include "../logs.h"
#include "../message.h"
#include "../summary/findings.h"
#include "../summary/summary.h"
#include "values.h"

enum { USAGE = 2, COUNT = 20, MOST = 10000, SECONDS = 3, PATHS = 256, JSON, NO_FINDINGS, LIMIT };

static const char usage[] =
    "usage: darshan list [OPTION...] [FOLDER...]\n"
    "  shows your newest logs, the newest first: date, program, share of file I/O in the\n"
    "  working time, and the costliest finding\n"
    "  FOLDER           where logs are [DARSHAN_LOGPATH, else ./darshan-logs and the folder\n"
    "                   of the configuration or darshan-logs in the home folder]\n"
    "  -n COUNT         at most so many logs [20]\n"
    "  --paths          the path of each log, in a line of its own\n"
    "  --json           the same as data on standard output\n"
    "  --no-findings    without findings, which are the slowest part\n"
    "  --seconds S      compute findings for S seconds [3]; those that were computed before\n"
    "                   are kept in XDG_CACHE_HOME/darshan, else ~/.cache/darshan\n"
    "  -h, --help\n"
    "Exit status: 0; 1 if the list cannot be written; 2 for a usage error\n";

struct list {
  size_t most;     /* largest number of logs */
  double seconds;  /* time limit for findings; negative: no findings */
  int paths, json; /* 1: --paths; 1: --json */
  struct path_list folders, logs;
};

/* A log in the list. */
struct entry {
  int is_readable;        /* 0: the log is not shown */
  char *program;          /* its command line */
  double began, run_time; /* seconds since the epoch; seconds, negative if the log has no end */
  int64_t processes;
  struct shares shares;
};

/* Returns the command without the folders of its first word. */
static const char *without_folders(const char *command) {
  const char *base = command;
  for (const char *at = command; *at && *at != ' '; at++)
    if (*at == '/') base = at + 1;
  return *base ? base : command;
}

/* Fills an entry from the log at this path. */
static void read_entry(struct entry *entry, const char *log) {
  struct picture picture;
  memset(entry, 0, sizeof(*entry));
  picture_init(&picture);
  picture_add(&picture, log);
  if (picture.logs) {
    const char *command = picture.command ? command_typed(picture.command) : "";
    entry->is_readable = 1;
    entry->program = strdup(without_folders(command));
    entry->began = picture.began;
    entry->run_time = picture.ended > 0 ? picture.ended - picture.began : -1;
    entry->processes = picture.processes;
    entry->shares = picture.shares;
  }
  picture_free(&picture);
}

static double share_of(double part, double work) {
  return work > 0 ? part / work : NAN;
}

static void print_json(const struct list *list, const struct entry *entries,
                       const struct first_finding *found) {
  int first = 1;
  fputs("{\"format\": \"darshan-list\", \"version\": 1, \"logs\": [", stdout);
  for (size_t i = 0; i < list->logs.count; i++) {
    const struct entry *one = &entries[i];
    if (!one->is_readable) continue;
    fputs(first ? "\n  {\"log\": " : ",\n  {\"log\": ", stdout);
    first = 0;
    json_string(stdout, list->logs.paths[i]);
    fputs(", \"program\": ", stdout);
    json_string(stdout, one->program);
    printf(", \"start\": %.3f, \"run_seconds\": ", one->began);
    json_number(stdout, one->run_time < 0 ? NAN : one->run_time);
    printf(", \"processes\": %lld, \"file_io_share\": ", (long long)one->processes);
    json_number(stdout, share_of(one->shares.files, one->shares.work));
    fputs(", \"all_layers_share\": ", stdout);
    json_number(stdout, share_of(one->shares.all, one->shares.work));
    printf(", \"finding_computed\": %s, \"finding\": ", found[i].is_known ? "true" : "false");
    if (found[i].name[0]) {
      fputs("{\"name\": ", stdout);
      json_string(stdout, found[i].name);
      fputs(", \"title\": ", stdout);
      json_string(stdout, found[i].title);
      fputs("}", stdout);
    } else {
      fputs("null", stdout);
    }
    fputs("}", stdout);
  }
  fputs(first ? "]}\n" : "\n]}\n", stdout);
}

/* Prints a row of the table. program, finding: columns of these two cells. */
static void print_entry(const struct entry *one, const struct first_finding *found, int program,
                        int finding) {
  char stamp[32] = "", name[4 * TERMINAL_MOST], title[4 * TERMINAL_MOST], share[QUANTITY_ROOM];
  time_t began = (time_t)one->began;
  struct tm local;
  if (localtime_r(&began, &local)) strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M", &local);
  size_t width = say_printable(name, sizeof(name), one->program, (size_t)program, 0);
  const char *text = found->name[0] ? found->title : found->is_known ? "-" : "(not computed)";
  say_printable(title, sizeof(title), text, (size_t)finding, 0);
  printf("%-16s  %s%*s %8s  %s\n", stamp, name, program - (int)width, "",
         quantity_percent(share, one->shares.files, one->shares.work), title);
}

/* Prints the table of logs as wide as the terminal. found: the first finding of each log. */
static void print_table(const struct list *list, const struct entry *entries,
                        const struct first_finding *found) {
  enum { FIXED = 16 + 2 + 1 + 8 + 2 };
  int colour = terminal_colour(STDOUT_FILENO), room = terminal_width(STDOUT_FILENO) - FIXED;
  int program = room * 2 / 5, finding = list->seconds < 0 ? 0 : room - program;
  printf("%s%-16s  %-*s %8s%s%s\n", colour ? "\033[1m" : "", "started", program, "program",
         "file I/O", finding ? "  first finding" : "", colour ? "\033[0m" : "");
  for (size_t i = 0; i < list->logs.count; i++) {
    if (!entries[i].is_readable) continue;
    static const struct first_finding none = {1, "none", ""};
    print_entry(&entries[i], list->seconds < 0 ? &none : &found[i], program, finding);
    if (list->paths) printf("  %s\n", say_path(list->logs.paths[i]));
  }
}

/* Prints how many findings were not computed within the time limit; nothing if all were. */
static void say_not_computed(const struct list *list, const struct entry *entries,
                             const struct first_finding *found) {
  size_t missing = 0;
  for (size_t i = 0; i < list->logs.count; i++)
    missing += entries[i].is_readable && !found[i].is_known;
  if (missing && list->seconds >= 0)
    say("%zu finding%s not computed within %g s: call darshan list again, or darshan report --text "
        "LOG",
        missing, missing == 1 ? " was" : "s were", list->seconds);
}

static int show(struct list *list) {
  size_t count = list->logs.count;
  struct entry *entries = calloc(count + 1, sizeof(*entries));
  struct first_finding *found = calloc(count + 1, sizeof(*found));
  if (!entries || !found) {
    free(entries);
    free(found);
    say("cannot list %zu logs: out of memory", count);
    return 1;
  }
  for (size_t i = 0; i < count; i++)
    read_entry(&entries[i], list->logs.paths[i]);
  if (count && list->seconds >= 0) first_findings(found, &list->logs, list->seconds);
  if (list->json)
    print_json(list, entries, found);
  else if (count)
    print_table(list, entries, found);
  int status = written(stdout, "darshan", 0);
  say_not_computed(list, entries, found);
  for (size_t i = 0; i < count; i++)
    free(entries[i].program);
  free(entries);
  free(found);
  return status;
}

static int wrong(void) {
  fputs(usage, stderr);
  return USAGE;
}

/* Reads the options and folders. Returns -1 if the command must continue, otherwise its exit
 * status. */
static int parse(struct list *list, int argc, char **argv) {
  static const struct option names[] = {{"paths", no_argument, NULL, PATHS},
                                        {"json", no_argument, NULL, JSON},
                                        {"no-findings", no_argument, NULL, NO_FINDINGS},
                                        {"seconds", required_argument, NULL, LIMIT},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  char *end = "";
  int code;
  while ((code = getopt_long(argc, argv, "n:h", names, NULL)) != -1) {
    if (code == 'h') {
      fputs(usage, stdout);
      return written(stdout, "darshan", 0);
    }
    if (code == 'n') {
      long most = strtol(optarg, &end, 10);
      if (end == optarg || *end || most < 1 || most > MOST) return wrong();
      list->most = (size_t)most;
    } else if (code == LIMIT) {
      list->seconds = strtod(optarg, &end);
      if (end == optarg || *end || !(list->seconds >= 0 && list->seconds <= 3600)) return wrong();
    } else if (code == '?') {
      return wrong();
    }
    list->paths |= code == PATHS;
    list->json |= code == JSON;
    if (code == NO_FINDINGS) list->seconds = -1;
  }
  for (int i = optind; i < argc; i++)
    path_list_add(&list->folders, argv[i]);
  return -1;
}

int command_list(int argc, char **argv) {
  struct list list = {COUNT, SECONDS, 0, 0, {NULL, 0}, {NULL, 0}};
  int status = parse(&list, argc, argv);
  if (status < 0) {
    if (!list.folders.count) newest_folders(&list.folders);
    newest_logs(&list.logs, &list.folders, list.most);
    if (!list.logs.count) newest_say_none(argv[0], &list.folders);
    status = show(&list);
  }
  path_list_free(&list.folders);
  path_list_free(&list.logs);
  return status;
}
