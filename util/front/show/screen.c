/* Prints the summary of `darshan stat` on stderr (screen.h). */
#define _GNU_SOURCE
#include "screen.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../message.h"
#include "../summary/summary.h"
#include "dataset-remarks.h"
#include "lines.h"
#include "screen-head.h"
#include "values.h"

enum {
  SIZE_BINS = 10,
  FILES_LEAST = 3,
  FILES_OTHERS =
      3 /* lines for an empty line, the heading, and the number of rows that are not shown */
};

static double value(const struct picture_layer *layer, int fcounter) {
  return darshan_record_fcounters(&layer->plan, layer->total)[fcounter];
}
static int64_t bytes(const struct picture_layer *layer, int counter) {
  return darshan_record_counters(&layer->plan, layer->total)[counter];
}

/* Bytes that the lowest layers (picture_is_bottom) moved, and the seconds of their calls. */
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

/* Returns the run time to print, in seconds. Uses the run time in the log if there is one, not the
 * measured run time, so that the same log always gives the same output. */
double screen_run_time(const struct picture *picture) {
  double logged = picture->ended - picture->began;
  return picture->ended > 0 && logged > 0 ? logged : picture->run_time;
}

/* Prints the table of layers, one row for each module that moves bytes. */
static void print_layers(struct screen *screen, const struct picture *picture) {
  enum {
    FIRST =
        18 /* columns of the name and the number of files together, because either may be long */
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

/* Prints in one line the bytes of mapped files. Omits parts that do not fit; the report has
 * them. */
static void print_mapped(struct screen *screen, const struct picture *picture) {
  char part[4][4 * NUMBER], a[NUMBER], b[NUMBER];
  int column = 0;
  if (picture->mapped <= 0 || is_full(screen)) return;
  memset(part, 0, sizeof(part));
  quantity_bytes(a, picture->mapped_touched);
  quantity_bytes(b, picture->mapped);
  /* Each process that shares a mapping, as after a fork, counts the pages that it touches. */
  if (picture->mapped_touched > picture->mapped)
    snprintf(part[0], sizeof(part[0]), "mapped   %s touched by all processes, %s mapped", a, b);
  else
    snprintf(part[0], sizeof(part[0]), "mapped   %s of %s touched", a, b);
  if (picture->mapped_unmeasured > 0)
    snprintf(part[1], sizeof(part[1]), ", %s not measured",
             quantity_bytes(a, picture->mapped_unmeasured));
  if (picture->faults.all > 0)
    snprintf(part[2], sizeof(part[2]), "; page faults: %s",
             quantity_count(a, (int64_t)picture->faults.all));
  if (picture->faults.major > 0)
    snprintf(part[3], sizeof(part[3]), ", %s for storage",
             quantity_count(a, (int64_t)picture->faults.major));
  for (int i = 0; i < 4 && column + (int)strlen(part[i]) <= screen->columns; i++)
    column += fprintf(stderr, "%s", part[i]);
  end_line(screen);
}

/* Prints a line with seconds, summed over all processes. Prints nothing if they are less than 1 %
 * of the run time, or if the screen is full. label: first word of the line. where: the activity
 * that took the time. */
static void print_time(struct screen *screen, const struct picture *picture, double seconds,
                       const char *label, const char *where) {
  char time[NUMBER];
  if (seconds <= 0 || seconds < 0.01 * screen_run_time(picture) || is_full(screen)) return;
  fprintf(stderr, "%-8s %s %s", label, quantity_seconds(time, seconds), where);
  end_line(screen);
}

/* Prints how long the processes waited at named pipes, in calls that lock files, and for other
 * ranks in MPI. These waits are not file I/O. The rows of layers and files include the time at
 * pipes; no row includes the time for locks. */
static void print_waits(struct screen *screen, const struct picture *picture) {
  print_time(screen, picture, picture->shares.pipes, "waited",
             "at named pipes, which is not counted as file I/O");
  print_time(screen, picture, picture->locks, "locks",
             "in calls that lock files, which is not counted as file I/O");
  print_time(screen, picture, picture->rank_waits, "ranks",
             "of all ranks were waiting for other ranks in MPI");
}

/* Explains times in the table that are not transfers: t.write includes msync, so a row without
 * writes may have it; and the time of listing folders is in t.meta, but in no file's row. */
static void print_parts(struct screen *screen, const struct picture *picture) {
  print_time(screen, picture, picture->syncing, "syncs",
             "of t.write were in fsync, msync and the like");
  print_time(screen, picture, picture->listing, "listing",
             "of t.meta were in listing folders, which have no row below");
}

/* Prints "read 1.0 GiB in 2.0 s of calls: 512 MiB/s"; nothing if no bytes were moved. verb: the
 * first word. */
static void print_speed(struct screen *screen, const char *verb, double bytes_moved, double time) {
  char a[NUMBER], b[NUMBER], c[NUMBER];
  if (bytes_moved <= 0) return;
  fprintf(stderr, "%-8s %s in %s of calls", verb, quantity_bytes(a, bytes_moved),
          quantity_seconds(b, time));
  if (time > 0) fprintf(stderr, ": %s/s", quantity_bytes(c, bytes_moved / time));
  end_line(screen);
}

/* Writes two blanks, a size class and its share of the calls to `item`. counter: the name of the
 * class's counter; family: the part of it before the class, "_SIZE_READ_". share: in percent.
 * Returns the number of characters. */
static int format_class(char item[2 * NUMBER], const char *counter, const char *family,
                        double share) {
  char label[NUMBER];
  snprintf(label, sizeof(label), "%s", strstr(counter, family) + strlen(family));
  for (char *c = label; *c; c++)
    if (*c == '_') *c = '-';
  return snprintf(item, 2 * NUMBER, "  %s %.*f%%", label, share < 0.95 ? 1 : 0, share);
}

/* Returns the percentage that a size class must exceed to be shown, so that all shown classes fit
 * into `room` characters. first: the counter of the smallest class; family: as in format_class;
 * shares: percentages of the classes. */
static double least_shown(const struct darshan_counter *first, const char *family,
                          const double *shares, int room) {
  char item[2 * NUMBER];
  double least = 0;
  for (; least<100; least = least> 0 ? 2 * least : 0.05) {
    int used = 0;
    for (int i = 0; i < SIZE_BINS; i++)
      if (shares[i] > least) used += format_class(item, first[i].name, family, shares[i]);
    if (used <= room) break;
  }
  return least;
}

/* Prints the percentages of calls in the size classes; if not all fit, only the largest ones.
 * family: as in format_class. verb: the label of the line. */
static void print_sizes(struct screen *screen, const struct picture_layer *layer,
                        const char *family, const char *verb) {
  const int64_t *values = darshan_record_counters(&layer->plan, layer->total);
  const struct darshan_counter *first = layer->plan.module->counters;
  double sum = 0, shares[SIZE_BINS];
  while (first->name[0] && !strstr(first->name, family))
    first++;
  if (!first->name[0]) return;
  for (int i = 0; i < SIZE_BINS; i++)
    sum += (double)values[first->index + i];
  if (sum <= 0) return;
  for (int i = 0; i < SIZE_BINS; i++)
    shares[i] = 100 * (double)values[first->index + i] / sum;
  int column = fprintf(stderr, "%s", verb);
  double least = least_shown(first, family, shares, screen->columns - column);
  for (int i = 0; i < SIZE_BINS; i++) {
    char item[2 * NUMBER];
    if (shares[i] <= least) continue;
    format_class(item, first[i].name, family, shares[i]);
    fputs(item, stderr);
  }
  end_line(screen);
}

/* Prints the size classes of POSIX calls, if the row of a file still fits below. */
static void print_posix_sizes(struct screen *screen, const struct picture *picture) {
  if (screen->lines + 2 + FILES_OTHERS + 1 > LINES) return;
  for (int i = 0; i < picture->num_layers; i++)
    if (picture->layers[i].plan.module->id == DARSHAN_MOD_POSIX) {
      print_sizes(screen, &picture->layers[i], "_SIZE_READ_", "bytes per read ");
      print_sizes(screen, &picture->layers[i], "_SIZE_WRITE_", "bytes per write");
    }
}

/* Prints the number of epochs and batches of a training, and over what they are added up. A pass of
 * another loop, or with fewer batches, may be a validation, which users do not count as an epoch.
 */
static void print_passes(const struct epochs *epochs) {
  char a[NUMBER], b[NUMBER];
  int64_t loops = (int64_t)epochs->loops.count, fewest = (int64_t)(epochs->fewest + 0.5);
  int64_t most = (int64_t)(epochs->most + 0.5), is_mixed = loops > 1 || most > fewest + 1;
  int is_one = epochs->number == 1;
  fprintf(stderr, "%s %s", quantity_count(a, (int64_t)epochs->number),
          is_mixed ? (is_one ? "pass" : "passes") : (is_one ? "epoch" : "epochs"));
  if (loops > 1) fprintf(stderr, " of %s loops", quantity_count(a, loops));
  if (epochs->processes > 1)
    fprintf(stderr, " in %s processes", quantity_count(a, (int64_t)epochs->processes));
  fprintf(stderr, " with %s batches", quantity_count(b, (int64_t)epochs->batches));
  if (most > fewest + 1)
    fprintf(stderr, " (%s to %s each)", quantity_count(a, fewest), quantity_count(b, most));
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
  print_passes(epochs);
  fprintf(stderr, ", longest wait for a later batch %s", quantity_seconds(c, epochs->longest));
  end_line(screen);
}

/* Prints the table of the slowest HDF5 datasets. Returns 1, or 0 if there are none. */
static int print_datasets(struct screen *screen, const struct datasets *datasets) {
  const struct dataset *top[DATASETS_SHOWN];
  char name[4 * COLUMNS], a[NUMBER];
  size_t shown = datasets_slowest(datasets, top);
  if (shown == 0) return 0;
  int name_width = first_width(screen, 28, sizeof("datasets by time in HDF5") - 1);
  wide_heading(screen, "datasets by time in HDF5", name_width,
               "     asked     moved  factor    time HDF5  MPI POSIX");
  for (size_t i = 0; i < shown; i++) {
    const struct dataset *one = top[i];
    size_t width = say_printable(name, sizeof(name), one->name ? one->name : "(no name)",
                                 (size_t)name_width, 1);
    fprintf(stderr, "%s%*s", name, name_width - (int)width, "");
    put_cell(9, quantity_bytes(a, (double)one->asked));
    /* If the dataset's own calls moved no bytes, prints no number: the bytes are moved when the
     * file is flushed or closed. */
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
  return 1;
}

/* Writes the number of files, for example " (5,000 files)", or "" for one file. Returns the
 * length. */
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

enum { MAPPED = 9 }; /* columns of the cell "mapped" */
/* Returns the columns of the name in the table of files. has_mapped: 1 if it has the cell "mapped".
 */
static int file_width(const struct screen *screen, int has_mapped) {
  enum { LEAST = 24 }; /* least columns of a name, with the number of files */
  return first_width(screen, 42 - (has_mapped ? MAPPED : 0), LEAST);
}

/* Writes the name of a row and, if both fit, the temporary name of its file. Returns the number of
 * columns. */
static size_t tell_name(char *out, size_t size, const struct alike_row *row, size_t room) {
  char both[4 * COLUMNS];
  const char *name = row->name ? row->name : "(no name)", *was = row->sum.was;
  size_t length = was ? (size_t)snprintf(both, sizeof(both), "%s (was %s)", name, was) : 0;
  int fits = length > 0 && length <= room && length < sizeof(both);
  return say_printable(out, size, fits ? both : name, room, 1);
}

/* Prints a row of the table of files. */
static void print_file(struct screen *screen, const struct alike_row *row, int has_mapped) {
  char name[4 * COLUMNS], a[NUMBER], number[NUMBER];
  size_t room = (size_t)file_width(screen, has_mapped) - (size_t)tell_files(number, row->files);
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

/* Returns the seconds of the rows from index `from` up to `to`. programs: 1: rows of program files,
 * too. */
static double time_of(const struct alike_rows *rows, size_t from, size_t to, int programs) {
  double time = 0;
  for (size_t i = from; i < to; i++)
    if (programs || !rows->row[i].is_of_program) time += rows->row[i].sum.time;
  return time;
}

/* Prints how many rows are not shown, and their total time. Rows of program files are always the
 * last, whatever time they took. */
static void print_rest(struct screen *screen, const struct alike_rows *rows, size_t shown) {
  char a[NUMBER];
  if (shown >= rows->count || is_full(screen)) return;
  double time = time_of(rows, shown, rows->count, 1);
  fprintf(stderr, "and %zu more, with %s", rows->count - shown, quantity_seconds(a, time));
  end_line(screen);
}

/* Returns how many rows to print: `room`, or if that is not 0, more up to FILES_LEAST, so that the
 * files without a row of their own have no more time than those with one. */
static size_t rows_shown(const struct alike_rows *rows, size_t room) {
  size_t shown = room < rows->count ? room : rows->count;
  while (room > 0 && shown < FILES_LEAST && shown < rows->count &&
         time_of(rows, 0, shown, 0) < time_of(rows, shown, rows->count, 0))
    shown++;
  return shown;
}

/* Prints as many rows of files as the screen has lines for. least: number of rows that are printed
 * in any case, because lines about a training or about datasets may fill the screen. */
static void print_files(struct screen *screen, const struct picture *picture, int least) {
  int room = LINES - screen->lines - FILES_OTHERS, has_mapped = 0;
  struct alike_rows rows = alike_rows(picture);
  size_t shown = rows_shown(&rows, (size_t)(room < least ? least : room));
  alike_show_mapped(&rows, shown);
  for (size_t i = 0; i < shown; i++)
    has_mapped |= rows.row[i].sum.touched > 0;
  if (shown)
    wide_heading(screen, "files by time in I/O", file_width(screen, has_mapped),
                 has_mapped ? "      read   written   mapped    calls    time"
                            : "      read   written    calls    time");
  for (size_t i = 0; i < shown; i++)
    print_file(screen, &rows.row[i], has_mapped);
  if (shown) print_rest(screen, &rows, shown);
  alike_free(&rows);
}

int screen_print(const struct picture *picture) {
  int colour = terminal_colour(STDERR_FILENO);
  struct screen screen = {0, terminal_width(STDERR_FILENO), colour ? "\033[1m" : "",
                          colour ? "\033[0m" : ""};
  if (picture->logs > 0) {
    struct moved moved = moved_bytes(picture);
    screen_head(&screen, picture);
    screen_programs(&screen, picture);
    print_epochs(&screen, &picture->epochs);
    if (picture->num_layers) print_layers(&screen, picture);
    if (moved.read > 0 || moved.written > 0) end_line(&screen);
    print_speed(&screen, "read", moved.read, moved.read_time);
    print_speed(&screen, "written", moved.written, moved.write_time);
    print_mapped(&screen, picture);
    print_parts(&screen, picture);
    print_waits(&screen, picture);
    print_posix_sizes(&screen, picture);
    int more = print_datasets(&screen, &picture->datasets) || picture->epochs.number > 0;
    print_files(&screen, picture, more ? FILES_LEAST : 0);
  }
  return screen.lines;
}
