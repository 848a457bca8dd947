/* Prints the traces of a log (traces.h). */
#include "traces.h"

#include "../reader/called.h"
#include "print-log.h"

#include "darshan-read.h"
#include "id-table.h"
#include "numbers.h"
#include "output.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Values that all rows of a record have. */
struct segment_rows {
  const char *label; /* eight characters */
  int64_t rank;
  bool with_threads;                  /* true: the log has thread ids */
  const struct stripe_layout *layout; /* NULL: the file is not on Lustre */
};

enum {
  ROW_MAX = 1024
}; /* bytes of a row: label, kind and seven numbers, two of which may have any length */

/* Prints the line with the column names. with_osts: true to include the column of storage
 * targets. */
static void segments_columns(struct output *out, bool with_osts) {
  output_text(out, "# Module    Rank  Wt/Rd  Segment          Offset          Length    Start(s)"
                   "      End(s)");
  output_text(out, with_osts ? "   [OST]   Pthread-ID\n" : "   Pthread-ID\n");
}

/* Prints the storage targets of a segment's byte range, " [3] [0]". */
static void print_osts(struct output *out, const struct stripe_layout *layout,
                       const struct darshan_dxt_segment *segment) {
  struct stripe_walk walk;
  int64_t ost;
  stripes_begin(&walk, layout, segment->offset, segment->length);
  while (stripes_next(&walk, &ost)) {
    char *p = output_room(out, NUMBER_MAX);
    *p++ = ' ';
    *p++ = '[';
    p = number_signed(p, ost);
    *p++ = ']';
    out->next = p;
  }
  output_text(out, "  ");
}

/* Ends a row: writes the thread id as " %4lu", or " N/A" if the log has no thread ids, and a
 * newline. Returns the end of the text. */
static char *thread_column(char *p, const struct segment_rows *rows, uint64_t thread) {
  if (!rows->with_threads) {
    memcpy(p, " N/A\n", 5);
    return p + 5;
  }
  *p++ = ' ';
  if (thread < 1000)
    p = number_column(p, 4, (int64_t)thread);
  else
    p = number_unsigned(p, thread);
  *p++ = '\n';
  return p;
}

/* Prints n rows, numbered from 0. `kind` has seven characters. */
static void segments_print(struct output *out, const struct segment_rows *rows, const char *kind,
                           const struct darshan_dxt_segment *segments, int64_t n) {
  char prefix[64];
  memcpy(prefix, rows->label, 8);
  char *end = number_column(prefix + 8, 8, rows->rank);
  memcpy(end, kind, 7);
  size_t prefix_length = (size_t)(end + 7 - prefix);
  bool with_osts = rows->layout && rows->layout->num_components > 0;
  for (int64_t i = 0; i < n && !out->error; i++) {
    const struct darshan_dxt_segment *segment = &segments[i];
    char *p = output_room(out, ROW_MAX);
    memcpy(p, prefix, sizeof(prefix)); /* copies of a fixed size are faster */
    p = number_column(p + prefix_length, 9, i);
    p = number_column(p, 16, segment->offset);
    p = number_column(p, 16, segment->length);
    p = number_fixed4_column(p, 12, segment->start_time);
    p = number_fixed4_column(p, 12, segment->end_time);
    *p++ = ' ';
    *p++ = ' ';
    if (with_osts) {
      out->next = p;
      print_osts(out, rows->layout, segment);
      p = output_room(out, NUMBER_MAX);
    }
    out->next = thread_column(p, rows, segment->pthread_id);
  }
}

struct printer {
  darshan_log *log;
  const struct trace_options *options;
  struct output *out;
  const struct darshan_module_region *region;
  struct stripes stripes;
};

/* Prints a message on stderr, after the output so far has been written. */
static void complain(const struct printer *printer, const struct darshan_module_region *region,
                     const char *text) {
  output_flush(printer->out);
  fprintf(stderr, "%s: %s: %s: %s\n", called_as("darshan-dxt-parser"), printer->options->path,
          region->name, text);
}

static void print_heading(struct output *out, const struct darshan_module_region *region) {
  static const char stars[] = "# ***************************************************\n";
  output_printf(out, "\n%s# %s module data\n%s", stars, region->name, stars);
  if (!region->partial) return;
  output_printf(out,
                "\n# *WARNING*: The %s module contains incomplete data!\n"
                "#            It ran out of room for segments while the job ran.%s\n",
                region->name,
                region->length > 0 ? "" : "\n#            No segment was kept at all.");
}

/* Returns whether the records have thread ids; older versions have none. */
static bool knows_threads(const struct printer *printer) {
  return printer->region->version == darshan_module_by_id(printer->region->id)->version;
}

/* Returns the number of different threads in n segments, at least 1; -1 if out of memory. */
static long count_threads(const struct darshan_dxt_segment *segments, int64_t n) {
  struct id_table seen;
  id_table_init(&seen, 1);
  bool failed = false;
  for (int64_t i = 0; i < n && !failed; i++) {
    int is_new;
    if (i > 0 && segments[i].pthread_id == segments[i - 1].pthread_id) continue;
    failed = !id_table_get(&seen, segments[i].pthread_id, &is_new);
  }
  long count = failed ? -1 : (long)(seen.count ? seen.count : 1);
  id_table_free(&seen);
  return count;
}

static void print_stripes(struct output *out, const struct stripe_layout *layout) {
  output_text(out, "# DXT, Lustre stripe components:\n");
  for (size_t i = 0; i < layout->num_components; i++) {
    const struct stripe_component *component = &layout->components[i];
    output_printf(out, "#\t[Component %zu] stripe_ext: %" PRId64 " - ", i + 1, component->start);
    if (component->end == -1)
      output_text(out, "EOF");
    else
      output_printf(out, "%" PRId64, component->end);
    output_printf(out,
                  ", stripe_size: %" PRId64 ", stripe_count: %" PRId64 ", OSTs:", component->size,
                  component->count);
    for (int64_t j = 0; j < component->count; j++)
      output_printf(out, " %" PRId64, component->osts[j]);
    output_text(out, "\n");
  }
}

/* Prints the head lines and the segments of a trace. Returns 0, or -1 if out of memory. */
static int print_record(const struct printer *printer, const struct darshan_dxt_head *head) {
  const struct darshan_info *info = darshan_log_info(printer->log);
  struct output *out = printer->out;
  bool posix = printer->region->id == DARSHAN_MOD_DXT_POSIX;
  struct segment_rows rows = {.label = posix ? " X_POSIX" : " X_MPIIO",
                              .rank = head->base.rank,
                              .with_threads = knows_threads(printer)};
  if (posix) rows.layout = stripes_find(&printer->stripes, head->base.id);
  const struct darshan_dxt_segment *segments = (const void *)(head + 1);
  int64_t n = head->write_count + head->read_count;
  long threads = rows.with_threads ? count_threads(segments, n) : 1;
  if (threads < 0) return -1;
  const char *name = darshan_log_name(printer->log, head->base.id);
  int mount = darshan_log_mount(printer->log, name);
  output_printf(out, "\n# DXT, file_id: %" PRIu64 ", file_name: ", head->base.id);
  output_foreign(out, name ? name : "(null)");
  char host[sizeof(head->hostname) + 1] = "";
  memcpy(host, head->hostname, sizeof(head->hostname));
  output_printf(out, "\n# DXT, rank: %" PRId64 ", hostname: ", head->base.rank);
  output_foreign(out, host);
  output_printf(out, "\n# DXT, number of threads: %ld\n", threads);
  output_printf(out, "# DXT, write_count: %" PRId64 ", read_count: %" PRId64 "\n",
                head->write_count, head->read_count);
  output_text(out, "# DXT, mnt_pt: ");
  output_foreign(out, mount < 0 ? "UNKNOWN" : info->mounts[mount].path);
  output_text(out, ", fs_type: ");
  output_foreign(out, mount < 0 ? "UNKNOWN" : info->mounts[mount].type);
  output_text(out, "\n");
  if (rows.layout) print_stripes(out, rows.layout);
  segments_columns(out, rows.layout != NULL);
  segments_print(out, &rows, "  write", segments, head->write_count);
  segments_print(out, &rows, "   read", segments + head->write_count, head->read_count);
  return 0;
}

static void print_records(const struct printer *printer) {
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(printer->log, printer->region->id, &error);
  const void *record;
  size_t size;
  int result = records ? 1 : -1;
  while (result > 0 && !printer->out->error) {
    result = darshan_records_next(records, &record, &size, &error);
    if (result > 0 && print_record(printer, record) != 0) {
      snprintf(error.text, sizeof(error.text), "cannot print the trace: out of memory");
      result = -1;
    }
  }
  if (result < 0) complain(printer, printer->region, error.text);
  darshan_records_close(records);
}

/* Returns the region of a module, which may have no data; NULL if the log does not list it. */
static const struct darshan_module_region *find_region(const darshan_log *log, int id) {
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == id) return &info->modules[i];
  return NULL;
}

/* Returns true, after a message, if the output must end at this module because it is partial and
 * --show-incomplete is not set. */
static bool stops_at(const struct printer *printer, const struct darshan_module_region *region) {
  if (!region->partial || printer->options->show_incomplete) return false;
  complain(printer, region,
           "the module is incomplete, because its memory was full during the job; "
           "--show-incomplete prints it");
  return true;
}

/* Reads the file layouts, which give the storage targets of a segment. Prints a message if they are
 * damaged. Returns 0, or STATUS_INCOMPLETE after a message if the Lustre module is partial and
 * --show-incomplete is not set. */
static int load_stripes(struct printer *printer) {
  const struct darshan_module_region *region = find_region(printer->log, DARSHAN_MOD_LUSTRE);
  if (!region) return 0;
  if (stops_at(printer, region)) return STATUS_INCOMPLETE;
  struct darshan_error error = {""};
  if (region->length > 0 && stripes_load(&printer->stripes, printer->log, &error) != 0)
    complain(printer, region, error.text);
  return 0;
}

int traces_print(darshan_log *log, const struct trace_options *options, struct output *out) {
  static const int traced[] = {DARSHAN_MOD_DXT_POSIX, DARSHAN_MOD_DXT_MPIIO};
  enum { TRACED = sizeof(traced) / sizeof(traced[0]) };
  struct printer printer = {.log = log, .options = options, .out = out};
  const struct darshan_module_region *regions[TRACED];
  bool any = false;
  for (int i = 0; i < TRACED; i++) {
    regions[i] = find_region(log, traced[i]);
    any |= regions[i] != NULL;
  }
  if (!any) {
    output_text(out, "\n# no DXT module data available for this Darshan log.\n");
    return 0;
  }
  stripes_open(&printer.stripes);
  int status = load_stripes(&printer);
  for (int i = 0; i < TRACED && status == 0; i++) {
    printer.region = regions[i];
    if (!printer.region) continue;
    status = stops_at(&printer, printer.region) ? STATUS_INCOMPLETE : 0;
    if (status != 0) break;
    print_heading(out, printer.region);
    if (printer.region->length > 0) print_records(&printer);
  }
  stripes_close(&printer.stripes);
  return status;
}
