/* Writes the sums as an ExportMetricsServiceRequest of OTLP, in its JSON encoding, in which 64-bit
 * numbers are strings (export.h). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../show/values.h"
#include "../export.h"

#include <config.h>

enum { BILLION = 1000000000, CUMULATIVE = 2 /* AggregationTemporality */ };

static void print_attribute(FILE *out, const char *key, const char *value) {
  fprintf(out, "{\"key\":\"%s\",\"value\":{\"stringValue\":", key);
  json_string(out, value);
  fputs("}}", out);
}

/* Returns the attributes of a sum as JSON, without brackets; "" if out of memory. The text belongs
 * to the sum. */
static const char *attributes_of(struct sum *sum) {
  size_t length;
  if (sum->as_otlp) return sum->as_otlp;
  FILE *out = open_memstream(&sum->as_otlp, &length);
  if (!out) return "";
  for (int i = 0; i < SUM_LABELS; i++) {
    if (i) fputc(',', out);
    print_attribute(out, sum_label_names[i], sum->label[i]);
  }
  fclose(out);
  return sum->as_otlp ? sum->as_otlp : "";
}

/* Begins a metric. is_sum: 1 for a sum that never decreases, 0 for a gauge. */
static void begin_metric(FILE *out, const char *name, const char *unit, const char *meaning,
                         int is_sum) {
  fprintf(out, "{\"name\":\"darshan.%s\",\"unit\":\"%s\",\"description\":", name, unit);
  json_string(out, meaning);
  if (is_sum)
    fprintf(out, ",\"sum\":{\"aggregationTemporality\":%d,\"isMonotonic\":true,", CUMULATIVE);
  else
    fputs(",\"gauge\":{", out);
  fputs("\"dataPoints\":[", out);
}

/* Begins a data point with its times and attributes. The list of attributes stays open: the caller
 * may add some, and prints ], the value and }. *is_first: 1 for the first point of a metric, which
 * no comma precedes; then set to 0. */
static void begin_point(FILE *out, const struct export_view *view, struct sum *sum, int *is_first) {
  if (!*is_first) fputc(',', out);
  *is_first = 0;
  fprintf(out,
          "{\"startTimeUnixNano\":\"%" PRId64 "\",\"timeUnixNano\":\"%" PRId64
          "\",\"attributes\":[%s",
          sum->began_ns < view->now_ns ? sum->began_ns : view->now_ns, view->now_ns,
          attributes_of(sum));
}

static void print_counts(FILE *out, const struct export_view *view, int count) {
  const struct sums *sums = &view->followed->sums;
  const struct export_count_name *row = &export_counts[count];
  int is_first = 1;
  begin_metric(out, row->name, row->unit, row->meaning, 1);
  for (size_t i = 0; i < sums->exported; i++) {
    begin_point(out, view, sums->all[i], &is_first);
    fprintf(out, "],\"asInt\":\"%" PRId64 "\"}", sums->all[i]->values.value[count]);
  }
  fputs("]}},", out);
}

static void print_seconds(FILE *out, const struct export_view *view) {
  const struct sums *sums = &view->followed->sums;
  int is_first = 1;
  begin_metric(out, "io_seconds", "s",
               "seconds in I/O calls of a layer, over all threads and processes", 1);
  for (size_t i = 0; i < sums->exported; i++)
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
      for (int time = 0; time < EXPORT_TIMES; time++) {
        int64_t ns = sums->all[i]->values.value[export_time_place(layer, time)];
        if (ns == 0) continue;
        begin_point(out, view, sums->all[i], &is_first);
        fputc(',', out);
        print_attribute(out, "layer", export_layers[layer]);
        fputc(',', out);
        print_attribute(out, "operation", export_times[time]);
        fprintf(out, "],\"asDouble\":%" PRId64 ".%09" PRId64 "}", ns / BILLION, ns % BILLION);
      }
  fputs("]}},", out);
}

static void print_processes(FILE *out, const struct export_view *view) {
  const struct sums *sums = &view->followed->sums;
  int is_first = 1;
  begin_metric(out, "processes", "{process}",
               "recorded processes that live and have used the file system", 0);
  for (size_t i = 0; i < sums->exported; i++) {
    begin_point(out, view, sums->all[i], &is_first);
    fprintf(out, "],\"asInt\":\"%u\"}", sums->all[i]->processes);
  }
  fputs("]}}", out);
}

char *format_otlp(const struct export_view *view, size_t *length) {
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  fputs("{\"resourceMetrics\":[{\"resource\":{\"attributes\":[", out);
  print_attribute(out, "service.name", "darshan");
  fputc(',', out);
  print_attribute(out, "host.name", view->host);
  fputs("]},\"scopeMetrics\":[{\"scope\":{\"name\":\"darshan\",\"version\":\"" PACKAGE_VERSION
        "\"},\"metrics\":[",
        out);
  for (int count = 0; count < EXPORT_COUNTS; count++)
    print_counts(out, view, count);
  print_seconds(out, view);
  print_processes(out, view);
  fputs("]}]}]}", out);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}
