/* Prints the first lines of the summary of `darshan stat` (screen-head.h). */
#define _GNU_SOURCE
#include "screen-head.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../runtime/format/run.h"
#include "screen.h"

/* Names of signals; glibc has such a list only since 2.32. */
static const char *const names[] = {
    [SIGHUP] = "HUP",       [SIGINT] = "INT",   [SIGQUIT] = "QUIT",   [SIGILL] = "ILL",
    [SIGTRAP] = "TRAP",     [SIGABRT] = "ABRT", [SIGBUS] = "BUS",     [SIGFPE] = "FPE",
    [SIGKILL] = "KILL",     [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV",   [SIGUSR2] = "USR2",
    [SIGPIPE] = "PIPE",     [SIGALRM] = "ALRM", [SIGTERM] = "TERM",   [SIGCHLD] = "CHLD",
    [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",   [SIGTTIN] = "TTIN",
    [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",   [SIGXFSZ] = "XFSZ",
    [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "IO",
    [SIGPWR] = "PWR",       [SIGSYS] = "SYS",
};

/* Returns the name without "SIG"; NULL if there is none. */
static const char *signal_name(long number) {
  return number > 0 && number < (long)(sizeof(names) / sizeof(names[0])) ? names[number] : NULL;
}

/* Prints one line on what the log lacks: lost records or, if none are lost, files that share a
 * record. missing: bits of enum picture_missing. */
static void print_missing(struct screen *screen, int missing) {
  if (missing & PICTURE_LOST)
    fputs("the log is incomplete: the numbers are lower bounds", stderr);
  else if (missing & PICTURE_SHARED)
    fputs(missing & PICTURE_ESTIMATED
              ? "some files share a record: totals are exact, numbers of files are estimates"
              : "some files share a record: totals are exact, single files are not known",
          stderr);
  if (missing & (PICTURE_LOST | PICTURE_SHARED)) end_line(screen);
}

/* Prints the number of dropped events and where they happened. */
static void print_dropped(struct screen *screen, const struct picture *picture) {
  static const char tables[] = "for full tables", deepbind[] = "by deepbind";
  for (int i = 0; i < PICTURE_DROPPED && picture->dropped[i].where[0]; i++) {
    const struct picture_dropped *one = &picture->dropped[i];
    char number[NUMBER];
    if (one->number <= 0) continue;
    quantity_count(number, one->number);
    if (strcmp(one->where, tables) == 0)
      fprintf(stderr, "calls on %s files or requests are not counted (full tables): lower bounds",
              number);
    else if (strcmp(one->where, deepbind) == 0)
      fprintf(stderr, "calls of %s %s opened with RTLD_DEEPBIND are not counted: lower bounds",
              number, one->number == 1 ? "library" : "libraries");
    else
      fprintf(stderr, "%s calls not counted (%s): the numbers are lower bounds", number,
              one->where);
    end_line(screen);
  }
}

/* Prints the last failed lookup of a program that failed; nothing if the log has none. */
static void print_not_found(struct screen *screen, const struct picture *picture) {
  char name[4 * COLUMNS], by[4 * NAME_COLUMNS] = "";
  const char *who = picture->not_found_by;
  if (!picture->not_found[0]) return;
  size_t width = who ? sizeof(" by ") - 1 + say_printable(by, sizeof(by), who, NAME_COLUMNS, 1) : 0;
  say_printable(name, sizeof(name), picture->not_found[0], (size_t)screen->columns - 28 - width, 1);
  fprintf(stderr, "last failed lookup%s%s: %s", who ? " by " : "", by, name);
  end_line(screen);
}

/* Prints which part of the working time was I/O. Also prints the working time if it differs from
 * the run time. */
static void print_shares(struct packed *packed, const struct picture *picture, double run) {
  const struct shares *shares = &picture->shares;
  const double rounding = 0.005;
  double whole = picture->programs.table.count ? run : run * (double)picture->processes;
  char item[ITEM], time[NUMBER], percent[NUMBER];
  int n = snprintf(item, sizeof(item), "%s in file I/O", quantity_seconds(time, shares->files));
  if (shares->work > 0)
    snprintf(item + n, sizeof(item) - (size_t)n, " (%s)",
             quantity_percent(percent, shares->files, shares->work));
  pack(packed, item);
  if (shares->work <= 0) return;
  if (shares->files > (1 + rounding) * shares->work) pack(packed, "threads added up");
  snprintf(item, sizeof(item), "all layers %s",
           quantity_percent(percent, shares->all, shares->work));
  if (shares->all > shares->files) pack(packed, item);
  snprintf(item, sizeof(item), "working time %s", quantity_seconds(time, shares->work));
  if (fabs(shares->work - whole) > rounding * whole) pack(packed, item);
}

void screen_head(struct screen *screen, const struct picture *picture) {
  char name[4 * COLUMNS], time[NUMBER], item[ITEM];
  double run = screen_run_time(picture);
  say_printable(name, sizeof(name), picture->command ? command_typed(picture->command) : "",
                (size_t)screen->columns - 9, 0);
  fprintf(stderr, "%sdarshan: %s%s", screen->bold, name, screen->plain);
  end_line(screen);
  struct packed packed = begin_packed(screen, run > 0 ? "run time " : "by ");
  if (run > 0) pack(&packed, quantity_seconds(time, run));
  int n = snprintf(item, sizeof(item), "%lld process%s", (long long)picture->processes,
                   picture->processes == 1 ? "" : "es");
  if (picture->logs > 1)
    snprintf(item + n, sizeof(item) - (size_t)n, " in %zu logs", picture->logs);
  pack(&packed, item);
  print_shares(&packed, picture, run);
  end_packed(&packed, 0);
  print_missing(screen, picture->missing);
  print_dropped(screen, picture);
}

/* Writes a program and, if it is above 1, its number of processes, for example "cat x 200". Returns
 * the length. */
static int name_program(char *out, size_t room, const char *program, int64_t count) {
  char name[4 * COLUMNS], number[NUMBER];
  say_printable(name, sizeof(name), program, NAME_COLUMNS, 1);
  if (count <= 1) return snprintf(out, room, "%s", name);
  return snprintf(out, room, "%s x %s", name, quantity_count(number, count));
}

static void print_programs(struct screen *screen, const struct program **all, size_t count) {
  char item[ITEM], time[NUMBER];
  size_t i = 0;
  struct packed packed = begin_packed(screen, "programs by time in I/O: ");
  for (; i < count; i++) {
    int n = name_program(item, sizeof(item), all[i]->name, all[i]->count);
    if (all[i]->ranks)
      snprintf(item + n, sizeof(item) - (size_t)n, " (an MPI job)");
    else
      snprintf(item + n, sizeof(item) - (size_t)n, " %s", quantity_seconds(time, all[i]->time));
    if (!pack(&packed, item)) break;
  }
  end_packed(&packed, count - i);
}

/* Prints the programs that failed, with the signal or status. */
static void print_bad_ends(struct screen *screen, const struct bad_end **all, size_t count) {
  char item[ITEM];
  size_t i = 0;
  if (count == 0) return;
  struct packed packed = begin_packed(screen, "ended badly: ");
  for (; i < count; i++) {
    int64_t number = all[i]->signal;
    int n = name_program(item, sizeof(item), all[i]->name, all[i]->count);
    size_t room = sizeof(item) - (size_t)n;
    const char *word = signal_name((long)number);
    if (word)
      snprintf(item + n, room, " (SIG%s)", word);
    else if (number > 0)
      snprintf(item + n, room, " (signal %lld)", (long long)number);
    else if (all[i]->status >= 0)
      snprintf(item + n, room, " (status %lld)", (long long)all[i]->status);
    if (!pack(&packed, item)) break;
  }
  end_packed(&packed, count - i);
}

/* Returns a phrase for the reason why a program was not recorded (enum run_unwatched). */
static const char *why_unseen(int why) {
  static const char *const words[] = {[RUN_STATIC] = "linked statically",
                                      [RUN_OTHER_LIBC] = "made for another C library",
                                      [RUN_RIGHTS] = "runs with raised rights",
                                      [RUN_ENVIRONMENT] =
                                          "started without the runtime's environment",
                                      [RUN_GO] = "Go calls the kernel itself",
                                      [RUN_SILENT] = "left no records"};
  return words[why];
}

/* Prints the programs that were not instrumented, or not completely. The numbers of the summary do
 * not include their I/O. */
static void print_unseen(struct screen *screen, const struct program **all, size_t count) {
  char item[ITEM], read[NUMBER], written[NUMBER];
  size_t left = 0;
  for (size_t i = 0; i < count; i++)
    left += all[i]->unseen > 0;
  if (left == 0) return;
  struct packed packed = begin_packed(screen, "not instrumented: ");
  for (size_t i = 0; i < count; i++) {
    if (all[i]->unseen <= 0) continue;
    int n = name_program(item, sizeof(item), all[i]->name, all[i]->unseen);
    n += snprintf(item + n, sizeof(item) - (size_t)n, " (%s", why_unseen(all[i]->why));
    if (all[i]->is_measured)
      n += snprintf(item + n, sizeof(item) - (size_t)n, "; read %s, wrote %s",
                    quantity_bytes(read, (double)all[i]->read),
                    quantity_bytes(written, (double)all[i]->written));
    snprintf(item + n, sizeof(item) - (size_t)n, ")");
    if (!pack(&packed, item)) break;
    left--;
  }
  end_packed(&packed, left);
}

void screen_programs(struct screen *screen, const struct picture *picture) {
  size_t count;
  const struct program **all = programs_by_time(&picture->programs, &count);
  print_unseen(screen, all, count);
  if (picture->processes > 1 && count) print_programs(screen, all, count);
  free(all);
  const struct bad_end **bad = programs_bad_ends(&picture->programs, &count);
  print_bad_ends(screen, bad, count);
  print_not_found(screen, picture);
  free(bad);
}
