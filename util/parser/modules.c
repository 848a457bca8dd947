/* Prints the records of each module of a log, or their sums (print-log.h). */
#include "print-log.h"

#include "../reader/called.h"
#include "rows.h"

#include <inttypes.h>
#include <stdio.h>

/* Prints a message on standard error with the log's path and the module. Flushes `out` before, so
 * that a terminal shows both in the right order. */
static void complain(const struct parser_options *options, struct output *out,
                     const struct darshan_module_region *region, const char *text) {
  output_flush(out);
  if (region->name)
    fprintf(stderr, "%s: %s: %s: %s\n", called_as("darshan-parser"), options->path, region->name,
            text);
  else
    fprintf(stderr, "%s: %s: module %d: %s\n", called_as("darshan-parser"), options->path,
            region->id, text);
}

void modules_print_columns(struct output *out) {
  output_text(out, "\n# columns of a data row, separated by tabs:\n"
                   "#   <module>: who took the record\n"
                   "#   <rank>: MPI rank; -1: all ranks together\n"
                   "#   <record id>: number made from the file name\n"
                   "#   <counter>: what is counted; described before each module's rows\n"
                   "#   <value>: -1 where it could not be measured; times are in seconds\n"
                   "#   <file name>: full path\n"
                   "#   <mount pt>: mount point that holds the file\n"
                   "#   <fs type>: type of the file system there\n");
}

static void print_heading(struct output *out, const char *name, bool partial, bool has_data) {
  static const char stars[] = "# *******************************************************\n";
  output_printf(out, "\n%s# %s module data\n%s", stars, name, stars);
  if (!partial) return;
  output_printf(out,
                "\n# *WARNING*: The %s module contains incomplete data!\n"
                "#            It ran out of room for records while the job ran.%s\n",
                name, has_data ? "" : "\n#            No record was kept at all.");
}

/* The state while a module is printed. */
struct printer {
  const struct parser_options *options;
  struct output *out;
  const struct darshan_module_region *region;
  struct rows rows;
  struct summary summary;
  int64_t nprocs;     /* number of processes of the job */
  bool sums_are_good; /* false: no sums are printed for this module */
};

/* Returns whether the sums are still meaningful with this record. If the record's rank does not
 * exist in the job, prints a message and returns false; no sums are then printed. */
static bool has_sums(struct printer *printer, const struct darshan_base_record *record) {
  if (!printer->sums_are_good || record->rank < printer->nprocs) return printer->sums_are_good;
  char text[128];
  snprintf(text, sizeof(text),
           "no sums: a record is of rank %" PRId64 ", but the job has %" PRId64 " processes",
           record->rank, printer->nprocs);
  complain(printer->options, printer->out, printer->region, text);
  printer->sums_are_good = false;
  return false;
}

/* Reads the next record. Prints its rows and adds it to the sums, if the options ask for them and
 * the sums are still good. Returns 1 for a record, 0 at the end, -1 after a message. */
static int print_next(struct printer *printer, darshan_records *records) {
  struct darshan_error error = {""};
  const void *record;
  size_t size;
  int result = darshan_records_next(records, &record, &size, &error);
  if (result < 0) complain(printer->options, printer->out, printer->region, error.text);
  if (result <= 0) return result;
  if (printer->options->base && rows_record(&printer->rows, record) != 0) result = -1;
  if (result > 0 && has_sums(printer, record) && summary_add(&printer->summary, record) != 0)
    result = -1;
  if (result < 0)
    complain(printer->options, printer->out, printer->region,
             "cannot print the records: out of memory");
  return result;
}

static void print_records(struct printer *printer, const struct darshan_module *module,
                          darshan_records *records) {
  struct output *out = printer->out;
  if (printer->options->base || printer->summary.want.total)
    descriptions_print(out, module, printer->region->version);
  if (printer->options->base)
    output_text(out, "\n#<module>\t<rank>\t<record id>\t<counter>\t<value>"
                     "\t<file name>\t<mount pt>\t<fs type>\n");
  rows_module(&printer->rows, module);
  const struct summary_options *want = &printer->summary.want;
  printer->sums_are_good = want->total || want->file || want->perf;
  int result;
  do
    result = print_next(printer, records);
  while (result > 0 && !out->error);
  if (result == 0 && printer->sums_are_good) summary_print(&printer->summary, out);
}

/* Returns true if the options print any part of the module. */
static bool is_wanted(const struct parser_options *options, const struct darshan_module *module) {
  if (options->base) return true;
  return options->summary.total ? summary_has_totals(module) : summary_has_io(module);
}

static void print_module(darshan_log *log, struct printer *printer) {
  const struct parser_options *options = printer->options;
  const struct darshan_module_region *region = printer->region;
  const struct darshan_module *module = darshan_module_by_id(region->id);
  if (!module || !is_wanted(options, module)) {
    if (!module)
      complain(options, printer->out, region,
               "skipped the module, which this release does not know");
    return;
  }
  if (region->length == 0) { /* the log lists the module only because it is partial */
    print_heading(printer->out, region->name, true, false);
    return;
  }
  struct darshan_error error = {""};
  darshan_records *records = darshan_records_open(log, region->id, &error);
  if (!records) {
    complain(options, printer->out, region, error.text);
    return;
  }
  print_heading(printer->out, region->name, region->partial, true);
  const struct summary_options none = {.total = false};
  bool sums = region->id < DARSHAN_MAX_MODULES || options->annex_sums;
  if (summary_open(&printer->summary, module, sums ? options->summary : none) != 0)
    complain(options, printer->out, region, "cannot print the records: out of memory");
  else
    print_records(printer, module, records);
  summary_close(&printer->summary);
  darshan_records_close(records);
}

/* Returns true for a module that is not printed. darshan-dxt-parser prints traces, and the user can
 * disable the annex. Totals of annex modules need --annex, because 3.5.0 does not print them. */
static bool is_skipped(const struct parser_options *options,
                       const struct darshan_module_region *region) {
  const struct darshan_module *module = darshan_module_by_id(region->id);
  if (module && module->kind == DARSHAN_KIND_DXT) return true;
  return region->id >= DARSHAN_MAX_MODULES &&
         !(options->annex && (options->base || options->annex_sums));
}

int modules_print(darshan_log *log, const struct parser_options *options, struct output *out) {
  const struct darshan_info *info = darshan_log_info(log);
  struct printer printer = {.options = options, .out = out, .nprocs = info->job.nprocs};
  if (rows_open(&printer.rows, out, log) != 0) return 1;
  int status = 0;
  bool any = false;
  for (int i = 0; i < info->num_modules && status == 0 && !out->error; i++) {
    printer.region = &info->modules[i];
    any |= printer.region->length > 0;
    if (is_skipped(options, printer.region)) continue;
    if (printer.region->partial && !options->show_incomplete) {
      complain(options, out, printer.region,
               "the module is incomplete, because its memory was full during the job; "
               "--show-incomplete prints it");
      status = STATUS_INCOMPLETE;
    } else {
      print_module(log, &printer);
    }
  }
  if (!any && status == 0) output_text(out, "\n# no module data available.\n");
  rows_close(&printer.rows);
  return status;
}
