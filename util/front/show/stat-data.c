/* Prints the summary as data for other programs (screen.h). */
#include "screen.h"

#include <math.h>

#include "../summary/summary.h"
#include "values.h"

enum { FILES = 20, NUMBERS = 8 }; /* files in the JSON; numbers of a layer */

struct number { /* unit "": a count */
  const char *name, *unit;
  double value;
};

/* Fills in the numbers of a layer (name, unit and value) in the order in which they are printed. */
static void numbers_of(struct number out[NUMBERS], const struct picture *picture,
                       const struct picture_layer *layer) {
  const struct darshan_merge_plan *plan = &layer->plan;
  const int64_t *counters = darshan_record_counters(plan, layer->total);
  const double *fcounters = darshan_record_fcounters(plan, layer->total);
  const struct number all[NUMBERS] = {
      {"files", "", (double)picture_files(picture, &layer->files)},
      {"reads", "", (double)picture_reads(plan, layer->total)},
      {"writes", "", (double)picture_writes(plan, layer->total)},
      {"bytes_read", "bytes", (double)counters[plan->bytes_read]},
      {"bytes_written", "bytes", (double)counters[plan->bytes_written]},
      {"read_seconds", "seconds", fcounters[plan->read_time]},
      {"write_seconds", "seconds", fcounters[plan->write_time]},
      {"metadata_seconds", "seconds", fcounters[plan->meta_time]}};
  for (int i = 0; i < NUMBERS; i++)
    out[i] = all[i];
}

enum { TOTALS = 6 };
static void totals_of(struct number out[TOTALS], const struct picture *picture) {
  const struct shares *shares = &picture->shares;
  const struct number all[TOTALS] = {
      {"logs", "", (double)picture->logs},
      {"processes", "", (double)picture->processes},
      {"run_seconds", "seconds", screen_run_time(picture)},
      {"file_io_seconds", "seconds", shares->files},
      {"all_layers_seconds", "seconds", shares->all},
      {"working_seconds", "seconds", shares->work > 0 ? shares->work : NAN}};
  for (int i = 0; i < TOTALS; i++)
    out[i] = all[i];
}

static void print_number(FILE *out, const struct number *number) {
  fprintf(out, ", \"%s\": ", number->name);
  json_number(out, number->value);
}

static void print_file(FILE *out, const struct alike_row *row) {
  fputs("{\"name\": ", out);
  json_string(out, row->name);
  fprintf(out, ", \"files\": %lld, \"bytes_read\": %lld, \"bytes_written\": %lld",
          (long long)row->files, (long long)row->sum.read, (long long)row->sum.written);
  fprintf(out, ", \"calls\": %lld, \"seconds\": ", (long long)row->sum.calls);
  json_number(out, row->sum.time);
  fputs("}", out);
}

void stat_json(FILE *out, const struct picture *picture) {
  struct number totals[TOTALS], numbers[NUMBERS];
  struct alike_rows rows = alike_rows(picture);
  totals_of(totals, picture);
  fputs("{\"format\": \"darshan-stat\", \"version\": 1, \"command\": ", out);
  json_string(out, picture->command);
  for (int i = 0; i < TOTALS; i++)
    print_number(out, &totals[i]);
  fprintf(out, ", \"complete\": %s, \"layers\": [",
          picture->missing & PICTURE_LOST ? "false" : "true");
  for (int i = 0; i < picture->num_layers; i++) {
    fprintf(out, "%s{\"module\": ", i ? ", " : "");
    json_string(out, picture->layers[i].plan.module->name);
    numbers_of(numbers, picture, &picture->layers[i]);
    for (int j = 0; j < NUMBERS; j++)
      print_number(out, &numbers[j]);
    fputs("}", out);
  }
  fputs("], \"slowest_files\": [", out);
  for (size_t i = 0; i < rows.count && i < FILES; i++) {
    if (i) fputs(", ", out);
    print_file(out, &rows.row[i]);
  }
  fputs("]}\n", out);
  alike_free(&rows);
}

static void print_row(FILE *out, const char *separator, const char *layer,
                      const struct number *number) {
  if (isfinite(number->value))
    fprintf(out, "%.15g", number->value);
  else
    fputs("<not known>", out);
  fprintf(out, "%s%s%s%s%s%s\n", separator, number->unit, separator, layer, *layer ? "." : "",
          number->name);
}

void stat_rows(FILE *out, const struct picture *picture, const char *separator) {
  struct number totals[TOTALS], numbers[NUMBERS];
  totals_of(totals, picture);
  for (int i = 0; i < TOTALS; i++)
    print_row(out, separator, "", &totals[i]);
  for (int i = 0; i < picture->num_layers; i++) {
    numbers_of(numbers, picture, &picture->layers[i]);
    for (int j = 0; j < NUMBERS; j++)
      print_row(out, separator, picture->layers[i].plan.module->name, &numbers[j]);
  }
}
