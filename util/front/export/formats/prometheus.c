/* Writes the sums in Prometheus' text exposition format 0.0.4 (export.h). */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../export.h"

enum { BILLION = 1000000000 };

/* Prints a clean label (sums.h) in the form that it has between quotes. */
static void print_label(FILE *out, const char *label) {
  for (; *label; label++) {
    if (*label == '"' || *label == '\\') fputc('\\', out);
    fputc(*label, out);
  }
}

/* Returns the labels of a sum, without braces; "" if out of memory. The text belongs to the sum. */
static const char *labels_of(struct sum *sum) {
  size_t length;
  if (sum->as_prometheus) return sum->as_prometheus;
  FILE *out = open_memstream(&sum->as_prometheus, &length);
  if (!out) return "";
  for (int i = 0; i < SUM_LABELS; i++) {
    fprintf(out, "%s%s=\"", i ? "," : "", sum_label_names[i]);
    print_label(out, sum->label[i]);
    fputc('"', out);
  }
  fclose(out);
  return sum->as_prometheus ? sum->as_prometheus : "";
}

/* Prints the lines HELP and TYPE of a metric. type: "counter" or "gauge". */
static void head(FILE *out, const char *name, const char *type, const char *meaning) {
  fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, meaning, name, type);
}

static void print_counts(FILE *out, const struct sums *sums, int count) {
  char name[64];
  snprintf(name, sizeof(name), "darshan_%s_total", export_counts[count].name);
  head(out, name, "counter", export_counts[count].meaning);
  for (size_t i = 0; i < sums->exported; i++)
    fprintf(out, "%s{%s} %" PRId64 "\n", name, labels_of(sums->all[i]),
            sums->all[i]->values.value[count]);
}

/* Prints the times of each layer that a job has used so far. A row that was printed once is printed
 * every time, because Prometheus expects that counters do not disappear. */
static void print_seconds(FILE *out, const struct sums *sums) {
  static const char name[] = "darshan_io_seconds_total";
  head(out, name, "counter", "seconds in I/O calls of a layer, over all threads and processes");
  for (size_t i = 0; i < sums->exported; i++)
    for (int layer = 0; layer < EXPORT_LAYERS; layer++)
      for (int time = 0; time < EXPORT_TIMES; time++) {
        int64_t ns = sums->all[i]->values.value[export_time_place(layer, time)];
        if (ns == 0) continue;
        fprintf(out, "%s{%s,layer=\"%s\",operation=\"%s\"} %" PRId64 ".%09" PRId64 "\n", name,
                labels_of(sums->all[i]), export_layers[layer], export_times[time], ns / BILLION,
                ns % BILLION);
      }
}

static void print_processes(FILE *out, const struct sums *sums) {
  static const char name[] = "darshan_processes";
  head(out, name, "gauge", "recorded processes that live and have used the file system");
  for (size_t i = 0; i < sums->exported; i++)
    fprintf(out, "%s{%s} %u\n", name, labels_of(sums->all[i]), sums->all[i]->processes);
}

/* Prints the metrics about this program itself. */
static void print_self(FILE *out, const struct export_view *view) {
  const struct followed *followed = view->followed;
  head(out, "darshan_watch_journals", "gauge", "journals that darshan watch reads");
  fprintf(out, "darshan_watch_journals %zu\n", followed->held);
  head(out, "darshan_watch_last_look_seconds", "gauge",
       "when darshan watch read the journals last, in seconds since 1970");
  fprintf(out, "darshan_watch_last_look_seconds %" PRId64 ".%03" PRId64 "\n",
          view->now_ns / BILLION, view->now_ns % BILLION / 1000000);
  head(out, "darshan_watch_processor_seconds_total", "counter",
       "processor time that darshan watch has used");
  fprintf(out, "darshan_watch_processor_seconds_total %.6f\n", view->processor);
  head(out, "darshan_watch_skipped_total", "counter", "files that darshan watch does not count");
  for (int i = 0; i < SKIPPED_REASONS; i++)
    fprintf(out, "darshan_watch_skipped_total{reason=\"%s\"} %" PRIu64 "\n",
            export_skipped_names[i], followed->skipped[i]);
}

char *format_prometheus(const struct export_view *view, size_t *length) {
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  for (int count = 0; count < EXPORT_COUNTS; count++)
    print_counts(out, &view->followed->sums, count);
  print_seconds(out, &view->followed->sums);
  print_processes(out, &view->followed->sums);
  print_self(out, view);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}
