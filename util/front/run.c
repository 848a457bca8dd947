#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "child.h"
#include "findings.h"
#include "picture.h"
#include "places.h"
#include "reason.h"
#include "recover.h"
#include "run-log.h"
#include "say.h"
#include "screen.h"

enum { USAGE = 2, CANNOT_RUN = 125, TEXT_ROOM = 4 * SAY_ROOM };

static const char run_usage[] = "usage: darshan run [-o DIR] [--] PROGRAM [ARGUMENT...]\n";
static const char stat_usage[] = "usage: darshan stat [-o DIR] [--] PROGRAM [ARGUMENT...]\n"
                                 "       darshan stat -r LOG [-r LOG...]\n";

/* The one line at the end: where the logs are, or why there are none. */
static void say_outcome(const struct run_outcome *outcome, const char *program,
                        const struct child_end *end) {
  char text[TEXT_ROOM], reason[TEXT_ROOM / 2];
  if (run_outcome_text(outcome, text, sizeof(text))) {
    say("%s", text);
    return;
  }
  reason_for_no_log(reason, sizeof(reason), program);
  if (WIFSIGNALED(end->status))
    say("no log: %s ended it before any I/O, or: %s", strsignal(WTERMSIG(end->status)), reason);
  else
    say("no log: %s", reason);
}

/* What follows the options; NULL: a wrong use, which has been said. */
static char **parse_run(int argc, char **argv, const char *options, const char *usage,
                        const char **folder, struct path_list *logs) {
  int code;
  while ((code = getopt(argc, argv, options)) != -1) {
    if (code == 'o') *folder = optarg;
    if (code == 'r') path_list_add(logs, optarg);
    if (code != 'o' && code != 'r') {
      fputs(usage, stderr);
      return NULL;
    }
  }
  if ((optind < argc) == (logs && logs->count)) {
    fputs(usage, stderr);
    return NULL;
  }
  return argv + optind;
}

/* Runs the program and has its log made; 0, or an exit status. */
static int run_program(char **command, const char *folder, struct run_outcome *outcome,
                       struct child_end *end, char around[PATH_MAX]) {
  struct places places;
  if (places_make(&places, folder) < 0) return CANNOT_RUN;
  int watched = !reason_to_leave_alone(command[0]);
  int started = child_run(command, watched ? places_announce : places_leave_alone, &places, end);
  int error = started < 0 ? errno : end->exec_error;
  run_log_make(outcome, &places, end, command);
  places_around(&places, around);
  if (error == 0) return 0;
  say("%s: %s", say_path(command[0]), strerror(error));
  return started < 0 ? CANNOT_RUN : WEXITSTATUS(end->status);
}

/* What earlier runs left where this one had its journals; around: that folder. */
static void recover_others(const struct run_outcome *outcome, const char *around) {
  if (around[0] && !outcome->jobs) recover_by_the_way(around);
}

int command_run(int argc, char **argv) {
  const char *folder = NULL;
  char around[PATH_MAX];
  struct run_outcome outcome;
  struct child_end end;
  char **command = parse_run(argc, argv, "+o:", run_usage, &folder, NULL);
  if (!command) return USAGE;
  int status = run_program(command, folder, &outcome, &end, around);
  if (status) return status;
  say_outcome(&outcome, command[0], &end);
  recover_others(&outcome, around);
  run_outcome_free(&outcome);
  child_end_like(&end);
}

static void add_logs(struct picture *picture, const struct path_list *logs) {
  for (size_t i = 0; i < logs->count; i++)
    picture_add(picture, logs->paths[i]);
}

/* The screen of logs that are there already. */
static int show_logs(struct path_list *logs) {
  struct picture picture;
  picture_init(&picture);
  add_logs(&picture, logs);
  screen_print(&picture);
  findings_print(logs);
  int status = picture.logs == 0;
  picture_free(&picture);
  path_list_free(logs);
  return ferror(stderr) ? 1 : status;
}

int command_stat(int argc, char **argv) {
  const char *folder = NULL;
  char around[PATH_MAX];
  struct path_list logs = {NULL, 0};
  struct run_outcome outcome;
  struct child_end end;
  struct picture picture;
  char **command = parse_run(argc, argv, "+o:r:", stat_usage, &folder, &logs);
  if (!command) return USAGE;
  if (logs.count) return show_logs(&logs);
  int status = run_program(command, folder, &outcome, &end, around);
  if (status) return status;
  picture_init(&picture);
  add_logs(&picture, &outcome.logs);
  add_logs(&picture, &outcome.journals);
  picture.run_time = end.wall_time;
  screen_print(&picture);
  findings_print(outcome.logs.count ? &outcome.logs : &outcome.journals);
  say_outcome(&outcome, command[0], &end);
  recover_others(&outcome, around);
  picture_free(&picture);
  run_outcome_free(&outcome);
  /* The screen is what was asked for: a program that failed says so first. */
  if (ferror(stderr) && end.status == 0) return CANNOT_RUN;
  child_end_like(&end);
}
