/* The subcommands run and stat (commands.h). */
#define _GNU_SOURCE
#include "../commands.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../reader/called.h"
#include "../logs.h"
#include "../message.h"
#include "../paths.h"
#include "../process/child.h"
#include "../process/no-log-reason.h"
#include "../recover/recover.h"
#include "../show/screen.h"
#include "../summary/findings.h"
#include "../summary/summary.h"
#include "run-log.h"

enum { USAGE = 2, CANNOT_RUN = 125, TEXT_ROOM = 4 * SAY_ROOM };

static const char run_usage[] =
    "usage: darshan run [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "  runs and records the program; one line at the end names its log\n"
    "  -o DIR      the folder for logs [DARSHAN_LOGPATH, else ./darshan-logs]\n"
    "  --sites     record call sites, so that findings name lines of code: for darshan\n"
    "              report, where and annotate\n"
    "  -h, --help\n"
    "  The exit status is the program's; 125: darshan failed before it started the program,\n"
    "  126: the program cannot be executed, 127: the program was not found\n";
static const char stat_usage[] =
    "usage: darshan stat [OPTION...] [--] PROGRAM [ARGUMENT...]\n"
    "       darshan stat [OPTION...] -r [LOG] [-r LOG...]\n"
    "  runs the program as darshan run does, and prints a summary of its I/O\n"
    "  -o DIR      the folder for logs [DARSHAN_LOGPATH, else ./darshan-logs]\n"
    "  --no-sites  do not record call sites: costs less, but findings name no line of code\n"
    "  -r [LOG]    print the summary of an existing log [the newest log]; of several logs,\n"
    "              their sums\n"
    "  --json      the numbers as one line of JSON instead of the summary\n"
    "  -x SEP      the numbers as rows with SEP between value, unit and name, as -x,\n"
    "  --to FILE   where the numbers go [standard output with -r, else standard error]\n"
    "  -h, --help\n"
    "  The exit status is the program's, or that of darshan run; with -r 0, and 1 if no log\n"
    "  can be read\n";

enum { GO_ON = -1 };

/* Returns 1 if the program at `path` has the name of a launcher, such as mpirun or mpirun.openmpi;
 * otherwise 0. */
static int is_launcher(const char *path) {
  static const char *const names[] = {
#define LAUNCHER_NAME(name) name,
#define BESIDE_NAME(name)
#include "../../../runtime/job/config/launcher-names.def"
#undef LAUNCHER_NAME
#undef BESIDE_NAME
  };
  const char *base = strrchr(path, '/');
  base = base ? base + 1 : path;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    size_t length = strlen(names[i]);
    if (strncmp(base, names[i], length) == 0 && (base[length] == '\0' || base[length] == '.'))
      return 1;
  }
  return 0;
}

/* Prints the final line: the paths of the logs, or the reason why there is none. */
static void say_outcome(const struct run_outcome *outcome, const char *program,
                        const struct child_end *end) {
  char text[TEXT_ROOM], reason[TEXT_ROOM / 2];
  if (run_outcome_text(outcome, text, sizeof(text))) {
    say("%s", text);
    return;
  }
  int is_known = reason_for_no_log(reason, sizeof(reason), program);
  if (!is_known && is_launcher(program) && WIFEXITED(end->status) &&
      WEXITSTATUS(end->status) != 0) {
    say("no log: %s ended with status %d and started no program that was recorded", program,
        WEXITSTATUS(end->status));
    return;
  }
  if (WIFSIGNALED(end->status))
    say("no log: a signal (%s) ended the program before any I/O, or: %s",
        strsignal(WTERMSIG(end->status)), reason);
  else
    say("no log: %s", reason);
}

/* Warns about a program with statically linked libraries, whose functions have no wrappers. If the
 * command begins with a launcher, checks the programs after it, and warns about the first such
 * program. */
static void say_inside(char *const *command) {
  char libraries[INSIDE_ROOM], path[PATH_MAX];
  for (int launched = is_launcher(command[0]); *command; command++) {
    if (program_of_command(path, *command) == 0 && inside_program(libraries, path)) {
      say("%s is statically linked into %s: the log has the POSIX calls that it makes, but no "
          "calls to it; link the program with the runtime (darshan-gen-cc) to record them",
          libraries, say_path(path));
      return;
    }
    if (!launched) return;
  }
}

enum { JSON = 256, TO, SITES, NO_SITES };

/* The options of run and stat. */
struct run_options {
  const char *folder;    /* for logs; NULL: the default */
  struct path_list logs; /* logs after -r */
  int json;              /* 1: --json */
  enum places_sites sites;
  const char *separator; /* NULL: no rows */
  const char *to;        /* NULL: the default */
};

/* Adds the log after -r or, if there is none, the newest log. Returns 0, or -1 after a message. */
static int add_log(struct path_list *logs, int argc, char **argv) {
  char *newest = NULL;
  const char *log = optarg;
  if (!log && optind < argc && (argv[optind][0] != '-' || access(argv[optind], F_OK) == 0))
    log = argv[optind++];
  if (!log) log = newest = newest_log(argv[0]);
  if (!log) return -1;
  path_list_add(logs, log);
  free(newest);
  return 0;
}

/* Reads the options. Returns GO_ON, or the exit status: after --help, after a usage error, or 1 if
 * -r names no log and there is no newest one. Afterwards optind is the index of the program. */
static int parse_run(int argc, char **argv, const char *options, const char *usage,
                     struct run_options *given) {
  static const struct option of_stat[] = {
      {"json", no_argument, NULL, JSON},   {"to", required_argument, NULL, TO},
      {"sites", no_argument, NULL, SITES}, {"no-sites", no_argument, NULL, NO_SITES},
      {"help", no_argument, NULL, 'h'},    {NULL, 0, NULL, 0}};
  const struct option *names = usage == stat_usage ? of_stat : of_stat + 2;
  int code;
  while ((code = getopt_long(argc, argv, options, names, NULL)) != -1) {
    if (code == 'o') given->folder = optarg;
    if (code == 'x') given->separator = optarg;
    if (code == TO) given->to = optarg;
    given->json |= code == JSON;
    if (code == SITES) given->sites = PLACES_SITES;
    if (code == NO_SITES) given->sites = PLACES_NO_SITES;
    if (code == 'r' && add_log(&given->logs, argc, argv) < 0) return 1;
    if (code == 'h') {
      fputs(usage, stdout);
      return written(stdout, "darshan", 0);
    }
    if (code == '?') {
      fputs(usage, stderr);
      return USAGE;
    }
  }
  int is_data = given->json || given->separator;
  int is_about_run = given->sites == PLACES_SITES || given->sites == PLACES_NO_SITES;
  if ((optind < argc) == (given->logs.count > 0) || (given->json && given->separator) ||
      (given->to && !is_data) || (is_about_run && given->logs.count > 0)) {
    fputs(usage, stderr);
    return USAGE;
  }
  return GO_ON;
}

/* Runs the program and makes its log. around: receives the folder in which run directories are, ""
 * for a run within another run. Returns 0, or the exit status of a failure. */
static int run_program(char **command, const struct run_options *given, struct run_outcome *outcome,
                       struct child_end *end, char around[PATH_MAX]) {
  struct places places;
  if (places_make(&places, given->folder) < 0) return CANNOT_RUN;
  places.sites = given->sites;
  int watched = !reason_to_leave_alone(command[0]);
  int started = child_run(command, watched ? places_announce : places_leave_alone, &places, end);
  int error = started < 0 ? errno : end->exec_error;
  run_log_make(outcome, &places, end, command);
  places_around(&places, around);
  if (error == 0) return 0;
  say("cannot run %s: %s", say_path(command[0]), strerror(error));
  return started < 0 ? CANNOT_RUN : WEXITSTATUS(end->status);
}

/* Recovers the files of earlier runs in `around` (run_program), unless this run started MPI
 * jobs. */
static void recover_others(const struct run_outcome *outcome, const char *around) {
  if (around[0] && !outcome->jobs) recover_by_the_way(around);
}

int command_run(int argc, char **argv) {
  struct run_options given = {NULL, {NULL, 0}, 0, 0, NULL, NULL};
  char around[PATH_MAX];
  struct run_outcome outcome;
  struct child_end end;
  int status = parse_run(argc, argv, "+o:h", run_usage, &given);
  if (status != GO_ON) return status;
  char **command = argv + optind;
  status = run_program(command, &given, &outcome, &end, around);
  if (status) return status;
  say_outcome(&outcome, command[0], &end);
  if (outcome.logs.count) say_inside(command);
  recover_others(&outcome, around);
  run_outcome_free(&outcome);
  child_end_like(&end);
}

static void add_logs(struct picture *picture, const struct path_list *logs) {
  for (size_t i = 0; i < logs->count; i++)
    picture_add(picture, logs->paths[i]);
}

/* Prints the numbers as data. Returns 0, or -1 after a message. */
static int print_data(const struct run_options *given, const struct picture *picture) {
  FILE *out = given->to ? fopen(given->to, "we") : given->logs.count ? stdout : stderr;
  if (out && given->json) stat_json(out, picture);
  if (out && given->separator) stat_rows(out, picture, given->separator);
  int failed = !out || fflush(out) != 0 || ferror(out);
  int error = errno;
  if (out && given->to && fclose(out) != 0) failed = 1;
  if (failed) say("cannot write %s: %s", say_path(given->to ? given->to : "-"), strerror(error));
  return failed ? -1 : 0;
}

/* Prints the summary and the findings, or the numbers as data; without a log, neither findings nor
 * data. Returns 0, or -1 if that failed. */
static int show(const struct run_options *given, const struct picture *picture,
                const struct path_list *logs) {
  if (given->json || given->separator) return picture->logs ? print_data(given, picture) : 0;
  int lines = screen_print(picture);
  if (picture->logs) findings_print(logs, lines); /* without a log, a message was printed already */
  return ferror(stderr) ? -1 : 0;
}

/* Prints the summary of existing logs (darshan stat -r). Returns the exit status. */
static int show_logs(struct run_options *given) {
  struct picture picture;
  picture_init(&picture);
  add_logs(&picture, &given->logs);
  renamed_join(&picture);
  int failed = show(given, &picture, &given->logs) < 0 || picture.logs == 0;
  picture_free(&picture);
  path_list_free(&given->logs);
  return failed;
}

int command_stat(int argc, char **argv) {
  struct run_options given = {.sites = PLACES_SITES_UNLESS};
  char around[PATH_MAX];
  struct run_outcome outcome;
  struct child_end end;
  struct picture picture;
  int status = parse_run(argc, argv, "+o:r::x:h", stat_usage, &given);
  if (status != GO_ON) return status;
  if (given.logs.count) return show_logs(&given);
  char **command = argv + optind;
  status = run_program(command, &given, &outcome, &end, around);
  if (status) return status;
  picture_init(&picture);
  add_logs(&picture, &outcome.logs);
  add_logs(&picture, &outcome.journals);
  renamed_join(&picture);
  picture.run_time = end.wall_time; /* used for logs without an end time */
  int failed = show(&given, &picture, outcome.logs.count ? &outcome.logs : &outcome.journals) < 0;
  say_outcome(&outcome, command[0], &end);
  if (outcome.logs.count) say_inside(command);
  recover_others(&outcome, around);
  picture_free(&picture);
  run_outcome_free(&outcome);
  /* The user requested the summary, so an error in writing it is a failure. If the program failed,
   * its own exit status is returned instead. */
  if ((failed || ferror(stderr)) && end.status == 0) return CANNOT_RUN;
  child_end_like(&end);
}
