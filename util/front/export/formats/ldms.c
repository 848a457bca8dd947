/* Writes the sums as JSON, one object per line for each job, user and file system, as LDMS
 * publishes them on its streams: flat, with the names "timestamp", "producer", "job_id" and
 * "schema" (export.h). */
#define _GNU_SOURCE
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../show/values.h"
#include "../export.h"

enum { BILLION = 1000000000 };

/* Prints the name of a layer as part of a key, for example mpi_io for MPI-IO. */
static void print_key(FILE *out, const char *layer) {
  for (; *layer; layer++)
    fputc(isalnum((unsigned char)*layer) ? tolower((unsigned char)*layer) : '_', out);
}

/* Prints a sum as one JSON object with a newline. */
static void print_sum(FILE *out, const struct export_view *view, const struct sum *sum) {
  fprintf(out,
          "{\"schema\":\"darshan_watch\",\"timestamp\":%" PRId64 ".%06" PRId64 ",\"producer\":",
          view->now_ns / BILLION, view->now_ns % BILLION / 1000);
  json_string(out, view->host);
  for (int i = 0; i < SUM_LABELS; i++) {
    fprintf(out, ",\"%s\":", sum_label_names[i]);
    json_string(out, sum->label[i]);
  }
  fprintf(out, ",\"processes\":%u", sum->processes);
  for (int i = 0; i < EXPORT_COUNTS; i++)
    fprintf(out, ",\"%s\":%" PRId64, export_counts[i].name, sum->values.value[i]);
  for (int layer = 0; layer < EXPORT_LAYERS; layer++)
    for (int time = 0; time < EXPORT_TIMES; time++) {
      int64_t ns = sum->values.value[export_time_place(layer, time)];
      fputs(",\"", out);
      print_key(out, export_layers[layer]);
      fprintf(out, "_%s_seconds\":%" PRId64 ".%09" PRId64, export_times[time], ns / BILLION,
              ns % BILLION);
    }
  fputs("}\n", out);
}

char *format_ldms(const struct export_view *view, size_t *length) {
  const struct sums *sums = &view->followed->sums;
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  for (size_t i = 0; i < sums->exported; i++)
    if (sums->all[i]->changed > view->since) print_sum(out, view, sums->all[i]);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}
