/* The summary of `darshan stat` on stderr: about 20 lines as wide as the terminal, so that the
 * findings and the path of the log fit below. See screen.h. */
#define _GNU_SOURCE
#include "screen.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../runtime/format/run.h"
#include "../message.h"
#include "../summary/summary.h"
#include "dataset-remarks.h"
#include "values.h"

/* glibc has these names since 2.32 only. */
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

/* Returns the name without "SIG", NULL if there is none. */
static const char *signal_name(long number) {
  return number > 0 && number < (long)(sizeof(names) / sizeof(names[0])) ? names[number] : NULL;
}

enum {
  COLUMNS = TERMINAL_MOST,
  LINES = 17, /* without the table of datasets; a screen has 24, and findings take at least 7 */
  NUMBER = QUANTITY_ROOM,
  SIZE_BINS = 10,
  NAME_COLUMNS = 24,
  FILES_LEAST = 3,
  FILES_OTHERS = 3 /* an empty line, the heading, and the number of rows that are not shown */
};

static int columns; /* of the terminal */

struct screen {
  int lines;
  const char *bold, *plain;
};

static void end_line(struct screen *screen) {
  fputc('\n', stderr);
  screen->lines++;
}

/* Returns whether there is no room for another line above the findings. */
static int is_full(const struct screen *screen) {
  return screen->lines >= LINES;
}

/* Prints a right-aligned cell after a blank. A micro sign has two bytes but one column. */
static void put_cell(int width, const char *text) {
  fprintf(stderr, " %*s", width + (strstr(text, "\u00b5") ? 1 : 0), text);
}

/* Prints a name and, at the end of the columns, a number. */
static void put_cell_beside(const char *name, int columns, const char *number) {
  int rest = columns - (int)strlen(name) - 1;
  fprintf(stderr, "%s %*s", name, rest > 0 ? rest : 0, number);
}

static void heading(struct screen *screen, const char *text) {
  end_line(screen);
  fprintf(stderr, "%s%s%s", screen->bold, text, screen->plain);
  end_line(screen);
}

/* Prints the heading of a table whose first column has this width. */
static void wide_heading(struct screen *screen, const char *first, int width, const char *others) {
  char text[4 * COLUMNS];
  snprintf(text, sizeof(text), "%-*s%s", width, first, others);
  heading(screen, text);
}

/* Returns the width of a first column that has usual columns on a line of 80, and at least least.
 */
static int first_width(int usual, int least) {
  int width = usual + columns - TERMINAL_WIDTH;
  return width < least ? least : width;
}

static double value(const struct picture_layer *layer, int fcounter) {
  return darshan_record_fcounters(&layer->plan, layer->total)[fcounter];
}
static int64_t bytes(const struct picture_layer *layer, int counter) {
  return darshan_record_counters(&layer->plan, layer->total)[counter];
}

/* Bytes that the layers next to the operating system moved, and the seconds of their calls. */
struct moved {
  double read, written, read_time, write_time;
};
static struct moved moved_bytes(const struct picture *picture) {
  struct moved sum = {0};
  for (int i = 0; i < picture->num_layers; i++) {
    const struct picture_layer *layer = &picture->layers[i];
    const struct darshan_merge_plan *plan = &layer->plan;
    if (!picture_is_bottom(plan)) continue;
    sum.read += (double)bytes(layer, plan->bytes_read);
    sum.written += (double)bytes(layer, plan->bytes_written);
    sum.read_time += value(layer, plan->read_time);
    sum.write_time += value(layer, plan->write_time);
  }
  return sum;
}

/* Returns the run time to print, in seconds. Prefers the run time in the log to the measured one,
 * so that the same log always gives the same output. */
double screen_run_time(const struct picture *picture) {
  double logged = picture->ended - picture->began;
  return picture->ended > 0 && logged > 0 ? logged : picture->run_time;
}

/* Prints what the log lacks, in the report's words (notes.py). missing: bits of enum
 * picture_missing. */
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

static void print_not_found(struct screen *screen, const struct picture *picture) {
  char name[4 * COLUMNS], by[4 * NAME_COLUMNS] = "";
  const char *who = picture->not_found_by;
  if (!picture->not_found[0]) return;
  size_t width = who ? sizeof(" by ") - 1 + say_printable(by, sizeof(by), who, NAME_COLUMNS, 1) : 0;
  say_printable(name, sizeof(name), picture->not_found[0], (size_t)columns - 28 - width, 1);
  fprintf(stderr, "last failed lookup%s%s: %s", who ? " by " : "", by, name);
  end_line(screen);
}

/* The state of a list of comma-separated items over at most two lines. pack adds an item, and
 * returns 0 if there is no space left. */
struct packed {
  struct screen *screen;
  int column, lines;
};
enum { MORE = sizeof(", and 99999 more") };
static int pack(struct packed *packed, const char *item) {
  enum { INDENT = 2, MOST_LINES = 2 };
  int width = (int)strlen(item), first = packed->column < 0;
  int room = columns - (packed->lines + 1 < MOST_LINES ? 1 : MORE);
  if (first) packed->column = -packed->column;
  if (first ? packed->column + width > columns : packed->column + 2 + width > room) {
    if (++packed->lines >= MOST_LINES || (!first && INDENT + width > columns - MORE)) return 0;
    if (!first && packed->column < columns) fputc(',', stderr);
    end_line(packed->screen);
    packed->column = fprintf(stderr, "%*s", INDENT, "");
    first = 1;
  }
  packed->column += fprintf(stderr, "%s%s", first ? "" : ", ", item);
  return 1;
}

static struct packed begin_packed(struct screen *screen, const char *word) {
  return (struct packed){screen, -fprintf(stderr, "%s", word), 0};
}

static void end_packed(struct packed *packed, size_t left) {
  int wraps = left && packed->column + MORE > columns;
  if (wraps) {
    if (packed->column < columns) fputc(',', stderr);
    end_line(packed->screen);
  }
  if (left) fprintf(stderr, "%s and %zu more", wraps ? " " : ",", left);
  end_line(packed->screen);
}

enum { ITEM = 8 * COLUMNS };

/* Prints the I/O share of the working time. Also prints the working time if it is not the run
 * time. */
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

static void print_head(struct screen *screen, const struct picture *picture) {
  char name[4 * COLUMNS], time[NUMBER], item[ITEM];
  double run = screen_run_time(picture);
  say_printable(name, sizeof(name), picture->command ? command_typed(picture->command) : "",
                (size_t)columns - 9, 0);
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

/* Writes a program and its number of processes: "cat x 200". Returns the length. */
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

/* Prints the programs that were not instrumented, or not completely. No number of the summary
 * includes their I/O. */
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

/* Prints the programs of a run. */
static void print_tree(struct screen *screen, const struct picture *picture) {
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

static void print_layers(struct screen *screen, const struct picture *picture) {
  enum {
    FIRST = 18 /* columns of the name and the number of files, of which either may be long */
  };
  char a[NUMBER];
  heading(screen,
          "layer        files    reads   writes      read   written  t.read t.write  t.meta");
  for (int i = 0; i < picture->num_layers; i++) {
    const struct picture_layer *layer = &picture->layers[i];
    const struct darshan_merge_plan *plan = &layer->plan;
    const char *name = plan->module->name;
    put_cell_beside(name, FIRST, quantity_count(a, picture_files(picture, &layer->files)));
    put_cell(8, quantity_count(a, picture_reads(plan, layer->total)));
    put_cell(8, quantity_count(a, picture_writes(plan, layer->total)));
    put_cell(9, quantity_bytes(a, (double)bytes(layer, plan->bytes_read)));
    put_cell(9, quantity_bytes(a, (double)bytes(layer, plan->bytes_written)));
    put_cell(7, quantity_seconds(a, value(layer, plan->read_time)));
    put_cell(7, quantity_seconds(a, value(layer, plan->write_time)));
    put_cell(7, quantity_seconds(a, value(layer, plan->meta_time)));
    end_line(screen);
  }
}

/* Prints mapped bytes in one line, without the parts that do not fit; the report has them. A page
 * fault makes the kernel map neighbouring pages, too. */
static void print_mapped(struct screen *screen, const struct picture *picture) {
  char part[4][3 * NUMBER], a[NUMBER], b[NUMBER];
  int column = 0;
  if (picture->mapped <= 0 || is_full(screen)) return;
  memset(part, 0, sizeof(part));
  snprintf(part[0], sizeof(part[0]), "mapped   %s of %s touched",
           quantity_bytes(a, picture->mapped_touched), quantity_bytes(b, picture->mapped));
  if (picture->mapped_unmeasured > 0)
    snprintf(part[1], sizeof(part[1]), ", %s not measured",
             quantity_bytes(a, picture->mapped_unmeasured));
  if (picture->faults.all > 0)
    snprintf(part[2], sizeof(part[2]), "; page faults: %s",
             quantity_count(a, (int64_t)picture->faults.all));
  if (picture->faults.major > 0)
    snprintf(part[3], sizeof(part[3]), ", %s for storage",
             quantity_count(a, (int64_t)picture->faults.major));
  for (int i = 0; i < 4 && column + (int)strlen(part[i]) <= columns; i++)
    column += fprintf(stderr, "%s", part[i]);
  end_line(screen);
}

/* Prints a line with seconds over all processes; nothing if they are below 1 % of the run. label:
 * first word of the line; where: what they were spent on. */
static void print_time(struct screen *screen, const struct picture *picture, double seconds,
                       const char *label, const char *where) {
  char time[NUMBER];
  if (seconds <= 0 || seconds < 0.01 * screen_run_time(picture) || is_full(screen)) return;
  fprintf(stderr, "%-8s %s %s", label, quantity_seconds(time, seconds), where);
  end_line(screen);
}

/* Prints how long the processes waited at pipes and for locks, which is not file I/O. The rows of
 * layers and files contain the time at pipes; no row contains the time for locks. */
static void print_waits(struct screen *screen, const struct picture *picture) {
  print_time(screen, picture, picture->shares.pipes, "waited",
             "at named pipes, which is not counted as file I/O");
  print_time(screen, picture, picture->locks, "locks",
             "in calls that lock files, which is not counted as file I/O");
  print_time(screen, picture, picture->rank_waits, "ranks",
             "of all ranks were waiting for other ranks in MPI");
}

/* Explains times in the table that are not transfers: a row without a write may have the time of
 * msync, and no file has the time of listing its folder. */
static void print_parts(struct screen *screen, const struct picture *picture) {
  print_time(screen, picture, picture->syncing, "syncs",
             "of t.write were in fsync, msync and the like");
  print_time(screen, picture, picture->listing, "listing",
             "of t.meta were in listing folders, which have no row below");
}

static void print_speed(struct screen *screen, const char *verb, double bytes_moved, double time) {
  char a[NUMBER], b[NUMBER], c[NUMBER];
  if (bytes_moved <= 0) return;
  fprintf(stderr, "%-8s %s in %s of calls", verb, quantity_bytes(a, bytes_moved),
          quantity_seconds(b, time));
  if (time > 0) fprintf(stderr, ": %s/s", quantity_bytes(c, bytes_moved / time));
  end_line(screen);
}

/* Prints which share of the calls is in each size class. family: the start of the names of these
 * counters; verb: the kind of call. */
static void print_sizes(struct screen *screen, const struct picture_layer *layer,
                        const char *family, const char *verb) {
  const int64_t *values = darshan_record_counters(&layer->plan, layer->total);
  const struct darshan_counter *first = layer->plan.module->counters;
  char label[NUMBER];
  double sum = 0;
  while (first->name[0] && !strstr(first->name, family))
    first++;
  if (!first->name[0]) return;
  for (int i = 0; i < SIZE_BINS; i++)
    sum += (double)values[first->index + i];
  if (sum <= 0) return;
  int column = fprintf(stderr, "%s", verb);
  for (int i = 0; i < SIZE_BINS; i++) {
    double share = 100 * (double)values[first->index + i] / sum;
    if (share <= 0) continue;
    snprintf(label, sizeof(label), "%s", strstr(first[i].name, family) + strlen(family));
    for (char *c = label; *c; c++)
      if (*c == '_') *c = '-';
    char item[2 * NUMBER];
    int n = snprintf(item, sizeof(item), "  %s %.*f%%", label, share < 0.95 ? 1 : 0, share);
    if (column + n > columns) break;
    column += fprintf(stderr, "%s", item);
  }
  end_line(screen);
}

/* Prints the size classes of POSIX calls if a file fits below. */
static void print_posix_sizes(struct screen *screen, const struct picture *picture) {
  if (screen->lines + 2 + FILES_OTHERS + 1 > LINES) return;
  for (int i = 0; i < picture->num_layers; i++)
    if (picture->layers[i].plan.module->id == DARSHAN_MOD_POSIX) {
      print_sizes(screen, &picture->layers[i], "_SIZE_READ_", "bytes per read ");
      print_sizes(screen, &picture->layers[i], "_SIZE_WRITE_", "bytes per write");
    }
}

/* Prints how long a training waited for its data, in two lines. */
static void print_epochs(struct screen *screen, const struct epochs *epochs) {
  char a[NUMBER], b[NUMBER], c[NUMBER];
  if (epochs->number <= 0) return;
  end_line(screen);
  fprintf(stderr, "training: waited for data %s of %s (%s)", quantity_seconds(a, epochs->wait),
          quantity_seconds(b, epochs->whole), quantity_percent(c, epochs->wait, epochs->whole));
  fprintf(stderr, ", %s for first batches", quantity_seconds(a, epochs->begin));
  end_line(screen);
  fprintf(stderr, "%s epoch%s with %s batches, longest wait for a later batch %s",
          quantity_count(a, (int64_t)epochs->number), epochs->number == 1 ? "" : "s",
          quantity_count(b, (int64_t)epochs->batches), quantity_seconds(c, epochs->longest));
  end_line(screen);
}

/* Prints the table of the slowest HDF5 datasets. Returns how many rows it printed. */
static size_t print_datasets(struct screen *screen, const struct datasets *datasets) {
  const struct dataset *top[DATASETS_SHOWN];
  char name[4 * COLUMNS], a[NUMBER];
  size_t shown = datasets_slowest(datasets, top);
  if (shown == 0) return 0;
  int name_width = first_width(28, sizeof("datasets by time in HDF5") - 1);
  wide_heading(screen, "datasets by time in HDF5", name_width,
               "     asked     moved  factor    time HDF5  MPI POSIX");
  for (size_t i = 0; i < shown; i++) {
    const struct dataset *one = top[i];
    size_t width = say_printable(name, sizeof(name), one->name ? one->name : "(no name)",
                                 (size_t)name_width, 1);
    fprintf(stderr, "%s%*s", name, name_width - (int)width, "");
    put_cell(9, quantity_bytes(a, (double)one->asked));
    /* Without bytes in its own calls they are moved when the file is flushed or closed. */
    put_cell(9, one->moved > 0 || one->asked <= 0 ? quantity_bytes(a, (double)one->moved) : "-");
    put_cell(7, quantity_ratio(a, (double)one->moved, (double)one->asked));
    put_cell(7, quantity_seconds(a, one->time));
    put_cell(4, quantity_share(a, one->time - one->lower_time - one->mpi_time, one->time));
    put_cell(4, quantity_share(a, one->mpi_time, one->time));
    put_cell(5, quantity_share(a, one->lower_time, one->time));
    end_line(screen);
    for (int which = 0; which < DATASET_REMARKS; which++) {
      if (!dataset_remark(name, sizeof(name), one, which)) continue;
      fputs(name, stderr);
      end_line(screen);
    }
  }
  return shown;
}

/* Writes " (5,000 files)", or "" for one file. Returns the length. */
static int tell_files(char out[NUMBER], int64_t files) {
  char digits[NUMBER], grouped[NUMBER];
  int n = snprintf(digits, sizeof(digits), "%lld", (long long)files), at = 0;
  for (int i = 0; i < n; i++) {
    if (i && (n - i) % 3 == 0) grouped[at++] = ',';
    grouped[at++] = digits[i];
  }
  grouped[at] = '\0';
  out[0] = '\0';
  return files > 1 ? snprintf(out, NUMBER, " (%.19s files)", grouped) : 0;
}

enum { MAPPED = 9 };
static int file_width(int has_mapped) {
  enum { LEAST = 24 }; /* of a name, with a number of files */
  return first_width(42 - (has_mapped ? MAPPED : 0), LEAST);
}

/* Writes a name, with the temporary name of the file if there is room for both. Returns the
 * columns. */
static size_t tell_name(char *out, size_t size, const struct alike_row *row, size_t room) {
  char both[4 * COLUMNS];
  const char *name = row->name ? row->name : "(no name)", *was = row->sum.was;
  size_t length = was ? (size_t)snprintf(both, sizeof(both), "%s (was %s)", name, was) : 0;
  int fits = length > 0 && length <= room && length < sizeof(both);
  return say_printable(out, size, fits ? both : name, room, 1);
}

static void print_file(struct screen *screen, const struct alike_row *row, int has_mapped) {
  char name[4 * COLUMNS], a[NUMBER], number[NUMBER];
  size_t room = (size_t)file_width(has_mapped) - (size_t)tell_files(number, row->files);
  size_t width = tell_name(name, sizeof(name), row, room);
  fprintf(stderr, "%s%s%*s", name, number, (int)(room - width), "");
  put_cell(9, quantity_bytes(a, (double)row->sum.read));
  put_cell(9, quantity_bytes(a, (double)row->sum.written));
  if (has_mapped)
    put_cell(MAPPED, row->sum.touched ? quantity_bytes(a, (double)row->sum.touched) : "-");
  put_cell(8, quantity_count(a, row->sum.calls));
  put_cell(7, quantity_seconds(a, row->sum.time));
  end_line(screen);
}

/* Prints how many rows are not shown, and their time. Program files are the last rows, whatever
 * time they took. */
static void print_rest(struct screen *screen, const struct alike_rows *rows, size_t shown) {
  char a[NUMBER];
  double time = 0;
  if (shown >= rows->count || is_full(screen)) return;
  for (size_t i = shown; i < rows->count; i++)
    time += rows->row[i].sum.time;
  fprintf(stderr, "and %zu more, with %s", rows->count - shown, quantity_seconds(a, time));
  end_line(screen);
}

/* Prints as many files as the screen has lines for. least: print at least so many, because a table
 * of datasets may fill the screen. */
static void print_files(struct screen *screen, const struct picture *picture, int least) {
  int room = LINES - screen->lines - FILES_OTHERS, has_mapped = 0;
  struct alike_rows rows = alike_rows(picture);
  size_t shown = (size_t)(room < least ? least : room);
  if (shown > rows.count) shown = rows.count;
  alike_show_mapped(&rows, shown);
  for (size_t i = 0; i < shown; i++)
    has_mapped |= rows.row[i].sum.touched > 0;
  if (shown)
    wide_heading(screen, "files by time in I/O", file_width(has_mapped),
                 has_mapped ? "      read   written   mapped    calls    time"
                            : "      read   written    calls    time");
  for (size_t i = 0; i < shown; i++)
    print_file(screen, &rows.row[i], has_mapped);
  print_rest(screen, &rows, shown);
  alike_free(&rows);
}

int screen_print(const struct picture *picture) {
  int colour = terminal_colour(STDERR_FILENO);
  struct screen screen = {0, colour ? "\033[1m" : "", colour ? "\033[0m" : ""};
  columns = terminal_width(STDERR_FILENO);
  if (picture->logs > 0) {
    struct moved moved = moved_bytes(picture);
    print_head(&screen, picture);
    print_tree(&screen, picture);
    print_epochs(&screen, &picture->epochs);
    if (picture->num_layers) print_layers(&screen, picture);
    if (moved.read > 0 || moved.written > 0) end_line(&screen);
    print_speed(&screen, "read", moved.read, moved.read_time);
    print_speed(&screen, "written", moved.written, moved.write_time);
    print_mapped(&screen, picture);
    print_parts(&screen, picture);
    print_waits(&screen, picture);
    print_posix_sizes(&screen, picture);
    size_t datasets = print_datasets(&screen, &picture->datasets);
    print_files(&screen, picture, datasets ? FILES_LEAST : 0);
  }
  return screen.lines;
}
