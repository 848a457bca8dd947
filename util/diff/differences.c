/* Compares the records of two logs, module by module (differences.h). */
#include "differences.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../reader/called.h"
#include "id-table.h"
#include "record-list.h"
#include "record-rows.h"

struct comparison {
  const struct diff_options *options;
  darshan_log *const *logs; /* the two logs */
  struct output *out;
  const struct darshan_module *module; /* whose records are compared now; NULL: unknown module */
  struct record_list lists[2];         /* its records in each log */
  struct record_rows rows[2];          /* the rows of the two records that are compared now */
  bool differ;                         /* true: a row differs */
};

/* Prints a message about a module of log `which` (0 or 1) on stderr. Returns -1. */
static int complain(const struct comparison *comparison, int which, const char *module,
                    const char *text) {
  output_flush(comparison->out);
  fprintf(stderr, "%s: %s: %s: %s\n", called_as("darshan-diff"), comparison->options->paths[which],
          module, text);
  return -1;
}

static bool is_ignored(const struct comparison *comparison, const struct record_row *row) {
  char name[128];
  if (comparison->options->num_ignored == 0) return false;
  snprintf(name, sizeof(name), "%.*s", (int)row->counter_length, row->counter);
  for (int i = 0; i < comparison->options->num_ignored; i++)
    if (fnmatch(comparison->options->ignored[i], name, 0) == 0) return true;
  return false;
}

/* Prints a row of log `which` as a difference, unless its counter is ignored. */
static void print_row(struct comparison *comparison, int which, const struct record_row *row) {
  if (is_ignored(comparison, row)) return;
  comparison->differ = true;
  output_text(comparison->out, which ? "+ " : "- ");
  output_bytes(comparison->out, row->line, row->length);
  output_text(comparison->out, "\n");
}

/* --- two rows of one counter --------------------------------------------------------- */

/* Returns true if the row's counter is a time or a duration. */
static bool is_time(const struct darshan_module *module, const struct record_row *row) {
  if (module->kind == DARSHAN_KIND_DXT) return memmem(row->counter, row->counter_length, "_F_", 3);
  for (const struct darshan_counter *known = module->fcounters; known->name[0]; known++)
    if (strlen(known->name) == row->counter_length &&
        memcmp(known->name, row->counter, row->counter_length) == 0)
      return known->unit == DARSHAN_UNIT_SECONDS || known->unit == DARSHAN_UNIT_TIMESTAMP;
  return false;
}

/* Stores the value of a row as a number. Returns false if its text is not a number. */
static bool number(const struct record_row *row, double *value) {
  char text[400], *end; /* longer than NUMBER_MAX */
  if (row->value_length == 0 || row->value_length >= sizeof(text)) return false;
  memcpy(text, row->value, row->value_length);
  text[row->value_length] = '\0';
  *value = strtod(text, &end);
  return *end == '\0';
}

/* Returns true for a fraction, infinity or NaN. Only these are compared as doubles, in which -0
 * equals 0; whole numbers may have more digits than a double. */
static bool is_fraction(const struct record_row *row) {
  return memchr(row->value, '.', row->value_length) || memchr(row->value, 'n', row->value_length);
}

/* Returns true if two rows have the same value, or values that differ by at most a tolerance of the
 * options. */
static bool are_equal(const struct comparison *comparison, const struct record_row *first,
                      const struct record_row *second) {
  const struct diff_options *options = comparison->options;
  double a, b;
  if (first->value_length == second->value_length &&
      memcmp(first->value, second->value, first->value_length) == 0)
    return true;
  if (!number(first, &a) || !number(second, &b)) return false;
  if (is_fraction(first) && is_fraction(second) && (a == b || (isnan(a) && isnan(b)))) return true;
  if (options->relative == 0 && options->seconds == 0) return false;
  double gap = fabs(a - b);
  if (!isfinite(gap)) return false; /* a tolerance relative to infinity is meaningless */
  if (options->relative > 0 && gap <= options->relative * fmax(fabs(a), fabs(b))) return true;
  return gap <= options->seconds && is_time(comparison->module, first);
}

static void compare_rows(struct comparison *comparison, const struct record_row *first,
                         const struct record_row *second) {
  if (are_equal(comparison, first, second)) return;
  print_row(comparison, 0, first);
  print_row(comparison, 1, second);
}

/* --- two records of one id and rank ---------------------------------------------------- */

static bool is_same_counter(const struct record_row *first, const struct record_row *second) {
  return first->counter_length == second->counter_length &&
         memcmp(first->counter, second->counter, first->counter_length) == 0;
}

/* Compares the rows of two records from index `from` on, and prints rows that differ. Pairs rows by
 * the name of their counter, because from this index on the records have different lists of
 * counters (bins, components, segments). Returns 0, or -1 if out of memory. */
static int compare_by_name(struct comparison *comparison, size_t from) {
  const struct record_rows *first = &comparison->rows[0], *second = &comparison->rows[1];
  struct id_table table;
  int result = 0, is_new;
  id_table_init(&table, sizeof(size_t));
  for (size_t i = from; i < second->count && result == 0; i++) {
    const struct record_row *row = &second->list[i];
    size_t *place =
        id_table_get(&table, darshan_id_of_name(row->counter, row->counter_length), &is_new);
    if (place) *place = i + 1;
    if (!place) result = -1;
  }
  for (size_t i = from; i < first->count && result == 0; i++) {
    const struct record_row *row = &first->list[i];
    size_t *place = id_table_find(&table, darshan_id_of_name(row->counter, row->counter_length));
    if (place)
      compare_rows(comparison, row, &second->list[*place - 1]);
    else
      print_row(comparison, 0, row);
    if (place) *place = 0;
  }
  for (size_t i = 0; i < table.count && result == 0; i++) {
    const size_t *place = id_table_value(&table, i);
    if (*place) print_row(comparison, 1, &second->list[*place - 1]);
  }
  id_table_free(&table);
  return result;
}

/* Makes comparison->rows[which], the rows of a record of log `which` (0 or 1). Returns 0, or -1 if
 * out of memory. */
static int make(struct comparison *comparison, int which, const struct record_place *place) {
  return record_rows_make(&comparison->rows[which], comparison->lists[which].bytes + place->at);
}

/* Prints the rows that differ between two records with the same id, rank and number. Returns 0, or
 * -1 if out of memory. */
static int compare_records(struct comparison *comparison, const struct record_place *first,
                           const struct record_place *second) {
  const struct record_rows *rows = comparison->rows;
  if (first->size == second->size &&
      memcmp(comparison->lists[0].bytes + first->at, comparison->lists[1].bytes + second->at,
             first->size) == 0)
    return 0;
  if (make(comparison, 0, first) < 0 || make(comparison, 1, second) < 0) return -1;
  for (size_t i = 0; i < rows[0].count || i < rows[1].count; i++) {
    if (i == rows[0].count || i == rows[1].count ||
        !is_same_counter(&rows[0].list[i], &rows[1].list[i]))
      return compare_by_name(comparison, i);
    compare_rows(comparison, &rows[0].list[i], &rows[1].list[i]);
  }
  return 0;
}

/* Prints all rows of a record that only log `which` has. Returns 0, or -1 if out of memory. */
static int print_record(struct comparison *comparison, int which,
                        const struct record_place *place) {
  if (make(comparison, which, place) < 0) return -1;
  for (size_t i = 0; i < comparison->rows[which].count; i++)
    print_row(comparison, which, &comparison->rows[which].list[i]);
  return 0;
}

/* --- modules --------------------------------------------------------------------------- */

/* Compares all records of the current module; with --quiet only up to the first difference. Returns
 * 0, or -1 after a message. */
static int compare_lists(struct comparison *comparison) {
  const struct record_list *first = &comparison->lists[0], *second = &comparison->lists[1];
  size_t i = 0, j = 0;
  int result = 0;
  while (result == 0 && (i < first->count || j < second->count) && !comparison->out->error) {
    int order = i == first->count    ? 1
                : j == second->count ? -1
                                     : record_list_order(&first->places[i], &second->places[j]);
    if (order == 0)
      result = compare_records(comparison, &first->places[i++], &second->places[j++]);
    else if (order < 0)
      result = print_record(comparison, 0, &first->places[i++]);
    else
      result = print_record(comparison, 1, &second->places[j++]);
    if (comparison->options->quiet && comparison->differ) break;
  }
  return result < 0 ? complain(comparison, 0, comparison->module->name,
                               "cannot compare the records: out of memory")
                    : 0;
}

/* Returns the region of a module; NULL if the log has no data of it. */
static const struct darshan_module_region *region_of(const darshan_log *log, int id) {
  const struct darshan_info *info = darshan_log_info(log);
  for (int i = 0; i < info->num_modules; i++)
    if (info->modules[i].id == id && info->modules[i].length) return &info->modules[i];
  return NULL;
}

/* Compares the records of one module. Returns 0, or -1 after a message. */
static int compare_module(struct comparison *comparison, int id) {
  int result = 0;
  comparison->module = darshan_module_by_id(id);
  for (int which = 0; which < 2; which++) {
    struct darshan_error error = {""};
    const struct darshan_module_region *region = region_of(comparison->logs[which], id);
    comparison->lists[which] = (struct record_list){.bytes = NULL};
    if (!region) continue;
    if (!comparison->module || comparison->module->kind == DARSHAN_KIND_NONE) {
      const char *name = region->name ? region->name : "an unknown module";
      complain(comparison, which, name, "skipped the module: this release cannot read its records");
      continue;
    }
    record_rows_module(&comparison->rows[which], comparison->module);
    if (record_list_read(&comparison->lists[which], comparison->logs[which], id, &error) < 0)
      result = complain(comparison, which, comparison->module->name, error.text);
  }
  if (result == 0 && comparison->module) result = compare_lists(comparison);
  record_list_free(&comparison->lists[0]);
  record_list_free(&comparison->lists[1]);
  return result;
}

/* Compares the modules of two logs, in ascending order of their ids. Returns 0, or -1 if the
 * records of a module could not be read or compared. A module that this release cannot read is
 * skipped with a message, and is no error. */
static int compare_modules(struct comparison *comparison) {
  const struct darshan_info *info[2] = {darshan_log_info(comparison->logs[0]),
                                        darshan_log_info(comparison->logs[1])};
  int at[2] = {0, 0}, result = 0;
  for (;;) {
    int id = INT32_MAX;
    for (int which = 0; which < 2; which++)
      if (at[which] < info[which]->num_modules && info[which]->modules[at[which]].id < id)
        id = info[which]->modules[at[which]].id;
    bool in_annex = id >= DARSHAN_MAX_MODULES;
    if (id == INT32_MAX || (in_annex && !comparison->options->annex)) return result;
    for (int which = 0; which < 2; which++)
      at[which] += at[which] < info[which]->num_modules && info[which]->modules[at[which]].id == id;
    if (compare_module(comparison, id) < 0) result = -1;
  }
}

int differences_print(const struct diff_options *options, darshan_log *const logs[2],
                      struct output *out, bool *differ) {
  struct comparison *comparison = calloc(1, sizeof(*comparison));
  int result = -1;
  if (!comparison) return -1;
  comparison->options = options;
  comparison->logs = logs;
  comparison->out = out;
  if (record_rows_open(&comparison->rows[0], logs[0]) == 0 &&
      record_rows_open(&comparison->rows[1], logs[1]) == 0)
    result = compare_modules(comparison);
  else
    complain(comparison, 0, "rows", "out of memory");
  record_rows_close(&comparison->rows[0]);
  record_rows_close(&comparison->rows[1]);
  *differ |= comparison->differ;
  free(comparison);
  return result;
}
