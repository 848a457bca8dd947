#define _GNU_SOURCE
#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"

enum { COLUMNS = 80, LINES = 24, NUMBER = 32, SIZE_BINS = 10 };

struct screen {
  int lines;
  const char *bold, *plain;
};

/* Three significant digits: "322 B", "1.50 KiB". */
static const char *amount(char out[NUMBER], double bytes) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned unit = 0;
  if (!(bytes >= 0)) return "?"; /* a log may say anything */
  while (bytes >= 999.5 && unit < 6 && (unit > 0 || bytes >= 1024)) {
    bytes /= 1024;
    unit++;
  }
  int digits = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
  snprintf(out, NUMBER, "%.*f %s", digits, bytes, units[unit]);
  return out;
}

static const char *seconds(char out[NUMBER], double value) {
  if (!(value >= 0 && value < 3.6e9)) return "?";
  if (value >= 99999.5)
    snprintf(out, NUMBER, "%.0f h", value / 3600);
  else if (value >= 0.9995 || value <= 0)
    snprintf(out, NUMBER, "%.*f s",
             value >= 99.95 || value <= 0 ? 0
             : value >= 9.995             ? 1
                                          : 2,
             value > 0 ? value : 0);
  else if (value >= 0.0009995)
    snprintf(out, NUMBER, "%.*f ms", value >= 0.09995 ? 0 : value >= 0.009995 ? 1 : 2, value * 1e3);
  else
    snprintf(out, NUMBER, "%.0f us", value * 1e6);
  return out;
}

static const char *count(char out[NUMBER], int64_t value) {
  static const char units[] = "MGTP";
  double scaled = (double)value / 1e6;
  unsigned unit = 0;
  if (value < 10000000) {
    snprintf(out, NUMBER, "%lld", (long long)value);
    return out;
  }
  while (scaled >= 9999.5 && unit < 3) {
    scaled /= 1000;
    unit++;
  }
  snprintf(out, NUMBER, "%.0f%c", scaled, units[unit]);
  return out;
}

static void end_line(struct screen *screen) {
  fputc('\n', stderr);
  screen->lines++;
}

static void heading(struct screen *screen, const char *text) {
  end_line(screen);
  fprintf(stderr, "%s%s%s", screen->bold, text, screen->plain);
  end_line(screen);
}

static double value(const struct picture_layer *layer, int fcounter) {
  return darshan_record_fcounters(&layer->plan, layer->total)[fcounter];
}
static int64_t bytes(const struct picture_layer *layer, int counter) {
  return darshan_record_counters(&layer->plan, layer->total)[counter];
}

/* Bytes, and seconds in calls that moved them, of the layers next to the system. */
struct moved {
  double read, written, read_time, write_time, time;
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
    sum.time += value(layer, plan->meta_time);
  }
  sum.time += sum.read_time + sum.write_time;
  return sum;
}

static void print_head(struct screen *screen, const struct picture *picture,
                       const struct moved *moved) {
  char name[4 * COLUMNS], time[NUMBER], busy[NUMBER];
  double run = picture->run_time > 0 ? picture->run_time : picture->ended - picture->began;
  say_printable(name, sizeof(name), picture->command ? picture->command : "", COLUMNS - 9, 0);
  fprintf(stderr, "%sdarshan: %s%s", screen->bold, name, screen->plain);
  end_line(screen);
  if (run > 0) fprintf(stderr, "run time %s, ", seconds(time, run));
  fprintf(stderr, "%lld process%s", (long long)picture->processes,
          picture->processes == 1 ? "" : "es");
  if (picture->logs > 1) fprintf(stderr, " in %zu logs", picture->logs);
  fprintf(stderr, ", %s in file I/O", seconds(busy, moved->time));
  if (run > 0 && picture->processes == 1) fprintf(stderr, " (%.1f %%)", 100 * moved->time / run);
  end_line(screen);
  if (picture->incomplete) {
    fputs("parts were left out of the log: the numbers are lower bounds", stderr);
    end_line(screen);
  }
}

static void print_layers(struct screen *screen, const struct picture *picture) {
  char a[7][NUMBER];
  heading(screen,
          "layer        files    reads   writes      read   written  t.read t.write  t.meta");
  for (int i = 0; i < picture->num_layers; i++) {
    const struct picture_layer *layer = &picture->layers[i];
    const struct darshan_merge_plan *plan = &layer->plan;
    fprintf(stderr, "%-11s %6zu %8s %8s %9s %9s %7s %7s %7s", plan->module->name,
            layer->files.count, count(a[0], picture_reads(plan, layer->total)),
            count(a[1], picture_writes(plan, layer->total)),
            amount(a[2], (double)bytes(layer, plan->bytes_read)),
            amount(a[3], (double)bytes(layer, plan->bytes_written)),
            seconds(a[4], value(layer, plan->read_time)),
            seconds(a[5], value(layer, plan->write_time)),
            seconds(a[6], value(layer, plan->meta_time)));
    end_line(screen);
  }
}

static void print_speed(struct screen *screen, const char *verb, double bytes_moved, double time) {
  char a[NUMBER], b[NUMBER], c[NUMBER];
  if (bytes_moved <= 0) return;
  fprintf(stderr, "%-8s %s in %s of calls", verb, amount(a, bytes_moved), seconds(b, time));
  if (time > 0) fprintf(stderr, ": %s/s", amount(c, bytes_moved / time));
  end_line(screen);
}

/* Shares of the size classes of one kind of call; the classes are named by
 * their counters. */
static void print_sizes(struct screen *screen, const struct picture_layer *layer,
                        const char *family, const char *verb) {
  const int64_t *values = darshan_record_counters(&layer->plan, layer->total);
  const struct darshan_counter *first = layer->plan.module->counters;
  char label[NUMBER];
  double sum = 0;
  while (first->name && !strstr(first->name, family))
    first++;
  if (!first->name) return;
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
    if (column + n > COLUMNS) break;
    column += fprintf(stderr, "%s", item);
  }
  end_line(screen);
}

static void print_files(struct screen *screen, const struct picture *picture, int room) {
  size_t places[LINES];
  char name[4 * COLUMNS], a[4][NUMBER];
  size_t shown = picture_slowest(picture, places, room > 0 ? (size_t)room : 0);
  if (shown == 0) return;
  heading(screen,
          "files by time in I/O                            read   written    calls    time");
  for (size_t i = 0; i < shown; i++) {
    const struct picture_file *file = id_table_value(&picture->files, places[i]);
    size_t width = say_printable(name, sizeof(name), file->name ? file->name : "(no name)", 42, 1);
    fprintf(stderr, "%s%*s %9s %9s %8s %7s", name, (int)(42 - width), "",
            amount(a[0], (double)file->read), amount(a[1], (double)file->written),
            count(a[2], file->calls), seconds(a[3], file->time));
    end_line(screen);
  }
  if (picture->files.count > shown) {
    fprintf(stderr, "and %zu more", picture->files.count - shown);
    end_line(screen);
  }
}

void screen_print(const struct picture *picture, const char *last_line) {
  int colour = isatty(STDERR_FILENO) && !(getenv("NO_COLOR") && *getenv("NO_COLOR"));
  struct screen screen = {0, colour ? "\033[1m" : "", colour ? "\033[0m" : ""};
  if (picture->logs > 0) {
    struct moved moved = moved_bytes(picture);
    print_head(&screen, picture, &moved);
    if (picture->num_layers) print_layers(&screen, picture);
    if (moved.read > 0 || moved.written > 0) end_line(&screen);
    print_speed(&screen, "read", moved.read, moved.read_time);
    print_speed(&screen, "written", moved.written, moved.write_time);
    for (int i = 0; i < picture->num_layers; i++)
      if (picture->layers[i].plan.module->id == DARSHAN_MOD_POSIX) {
        print_sizes(&screen, &picture->layers[i], "_SIZE_READ_", "reads of bytes ");
        print_sizes(&screen, &picture->layers[i], "_SIZE_WRITE_", "writes of bytes");
      }
    print_files(&screen, picture, LINES - screen.lines - 4);
  }
  if (last_line) say("%s", last_line);
}
