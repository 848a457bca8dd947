/* The `darshan` command: its own subcommands, and those that start another program of Darshan. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../reader/written.h"
#include "installed.h"
#include "places.h"
#include "recover.h"
#include "run.h"
#include "say.h"
#include "watch.h"

#include <config.h>

static const char usage[] =
    "usage: darshan COMMAND ...\n"
    "  run [-o DIR] [--] PROGRAM [ARGUMENT...]\n"
    "      runs the program under observation; its log goes to DIR (default:\n"
    "      DARSHAN_LOGPATH, else ./darshan-logs); one line says where it is\n"
    "  stat [-o DIR] [--] PROGRAM [ARGUMENT...]\n"
    "      the same, and shows on a screen what the program did\n"
    "  stat -r LOG [-r LOG...]\n"
    "      the same screen for logs that are there\n"
    "  watch [-n SECONDS] [-c COUNT] [FOLDER|JOURNAL...]\n"
    "      what observed processes do right now, per layer and file\n"
    "  report [OPTION...] LOG...   a report as PDF, web page, data or text\n"
    "  parse [OPTION...] LOG       a log as text: darshan-parser\n"
    "  trace [-o FILE] LOG         traced transfers for Perfetto and chrome://tracing\n"
    "  merge [OPTION...] JOURNAL...|LOG...|FOLDER\n"
    "      a log of what a killed job left, or ranks without MPI: darshan-merge\n"
    "  convert [OPTION...] LOG NEW-LOG\n"
    "      a log anew, compressed otherwise or with names hidden: darshan-convert\n"
    "  diff [OPTION...] LOG LOG    what two logs say otherwise: darshan-diff\n"
    "  recover [-o DIR] [--dry-run] [FOLDER...]\n"
    "      finds what killed processes left, and makes their logs\n"
    "  collect [OPTION...] LOG|FOLDER...\n"
    "      many logs as tables of Parquet, each log once: a lake to ask\n"
    "  ask LAKE [QUESTION] [OPTION...]\n"
    "      a question to a lake, ready or in SQL\n"
    "  digest LAKE [--week [WEEK]] [OPTION...]\n"
    "      a week of a lake as a text to send\n"
    "  serve LAKE [--port N] [OPTION...]\n"
    "      a lake in a browser, on this machine alone\n"
    "  lake info|check|compact|prune|sweep [OPTION...] [LAKE]\n"
    "      what is in a lake, is it whole, what goes\n"
    "  help [COMMAND]              the page of the manual, or what --help says\n"
    "  --version, --help\n";

/* Subcommands that are separate programs. */
static const struct {
  const char *command, *program;
} others[] = {
    {"report", "darshan-job-summary"}, {"parse", "darshan-parser"},    {"trace", "darshan-trace"},
    {"merge", "darshan-merge"},        {"convert", "darshan-convert"}, {"diff", "darshan-diff"},
    {"collect", "darshan-collect"},    {"ask", "darshan-ask"},         {"lake", "darshan-lake"},
    {"digest", "darshan-digest"},      {"serve", "darshan-serve"}};

static int become(const char *program, char **argv) {
  char path[PATH_MAX];
  if (places_installed(path, program, ".") < 0) {
    say("%s is not where it was installed", program);
    return 127;
  }
  argv[0] = path;
  execv(path, argv);
  say("%s: %s", say_path(path), strerror(errno));
  return 126;
}

/* Opens the closed ones of the first three descriptors. Otherwise a log would get such a number,
 * and messages would be written into the log. The application gets them closed (O_CLOEXEC). Reading
 * and writing on them fails as before. */
static void keep_closed_ones_free(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0)
      open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* Subcommands of this program; name is what getopt prints before its messages. */
static struct {
  const char *command;
  int (*run)(int argc, char **argv);
  char name[16];
} own[] = {{"run", command_run, "darshan run"},
           {"stat", command_stat, "darshan stat"},
           {"recover", command_recover, "darshan recover"},
           {"watch", command_watch, "darshan watch"}};

/* Names the unknown command or option before the usage text. */
static int wrong(const char *command) {
  if (*command) say("there is no %s %s", *command == '-' ? "option" : "command", say_path(command));
  fputs(usage, stderr);
  return 2;
}

/* Shows a manual page with `man` if both are installed; otherwise returns. */
static void show_page(const char *name) {
  static const char *const endings[] = {"", ".gz"}; /* distributions compress pages */
  char file[NAME_MAX], path[PATH_MAX];
  for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
    snprintf(file, sizeof(file), "%s.1%s", name, endings[i]);
    if (places_installed(path, file, FRONT_MANUAL_FOLDER) == 0)
      execlp("man", "man", path, (char *)NULL);
  }
}

static int help(const char *command) {
  static char asked[] = "--help";
  char *arguments[] = {NULL, asked, NULL}, name[32];
  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
    if (strcmp(command, own[i].command) == 0) {
      snprintf(name, sizeof(name), "darshan-%s", command);
      show_page(name);
      arguments[0] = own[i].name;
      return own[i].run(2, arguments);
    }
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
    if (strcmp(command, others[i].command) == 0 || strcmp(command, others[i].program) == 0) {
      show_page(others[i].program);
      return become(others[i].program, arguments);
    }
  if (*command) return wrong(command);
  show_page("darshan");
  fputs(usage, stdout);
  return written(stdout, "darshan", 0);
}

static int version(void) {
  puts("darshan " PACKAGE_VERSION);
  return written(stdout, "darshan", 0);
}

int main(int argc, char **argv) {
  keep_closed_ones_free();
  const char *command = argc > 1 ? argv[1] : "";
  for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
    if (strcmp(command, own[i].command) == 0) {
      if (argc > 2 && strcmp(argv[2], "--version") == 0) return version();
      argv[1] = own[i].name;
      return own[i].run(argc - 1, argv + 1);
    }
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
    if (strcmp(command, others[i].command) == 0) return become(others[i].program, argv + 1);
  if (strcmp(command, "help") == 0) return help(argc > 2 ? argv[2] : "");
  if (strcmp(command, "--version") == 0) return version();
  if (strcmp(command, "--help") != 0 && strcmp(command, "-h") != 0) return wrong(command);
  fputs(usage, stdout);
  return written(stdout, "darshan", 0);
}
