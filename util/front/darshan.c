/* darshan: one command in front of the others. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "places.h"
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
    "  merge [OPTION...] JOURNAL...|FOLDER\n"
    "      a log of what a killed job left: darshan-merge\n"
    "  --version, --help\n";

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

int main(int argc, char **argv) {
  const char *command = argc > 1 ? argv[1] : "";
  if (strcmp(command, "run") == 0) return command_run(argc - 1, argv + 1);
  if (strcmp(command, "stat") == 0) return command_stat(argc - 1, argv + 1);
  if (strcmp(command, "watch") == 0) return command_watch(argc - 1, argv + 1);
  if (strcmp(command, "report") == 0) return become("darshan-job-summary", argv + 1);
  if (strcmp(command, "parse") == 0) return become("darshan-parser", argv + 1);
  if (strcmp(command, "merge") == 0) return become("darshan-merge", argv + 1);
  if (strcmp(command, "--version") == 0) {
    puts("darshan " PACKAGE_VERSION);
    return 0;
  }
  int asked = strcmp(command, "--help") == 0 || strcmp(command, "-h") == 0;
  fputs(usage, asked ? stdout : stderr);
  return asked ? 0 : 2;
}
