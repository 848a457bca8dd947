/* Prints rows of ordinary records (rows.h). */
#include "rows.h"

#include "numbers.h"
#include "output.h"

#include <stdlib.h>
#include <string.h>

#include "records.h"

static_assert((int)LAYERS_NUM_COUNTERS <= (int)ROW_LABELS_MAX, "the longest table");
static_assert((int)H5D_NUM_COUNTERS <= (int)ROW_LABELS_MAX, "room for all labels");

int rows_open(struct rows *rows, struct output *out, const darshan_log *log) {
  memset(rows, 0, sizeof(*rows));
  rows->out = out;
  rows->log = log;
  rows->joint_size = 1024;
  rows->joint = malloc(rows->joint_size);
  return rows->joint ? 0 : -1;
}

void rows_close(struct rows *rows) {
  free(rows->joint);
}

static void make_labels(struct row_label *labels, const struct darshan_counter *rows) {
  for (const struct darshan_counter *row = rows; row->name[0]; row++) {
    if (row->index < 0 || row->index >= ROW_LABELS_MAX) continue;
    struct row_label *label = &labels[row->index];
    size_t n = strlen(row->name);
    if (n > sizeof(label->text) - 1) n = sizeof(label->text) - 1;
    memcpy(label->text, row->name, n);
    label->text[n] = '\t';
    label->length = n + 1;
    label->is_unsigned = row->unit == DARSHAN_UNIT_ID;
  }
}

void rows_module(struct rows *rows, const struct darshan_module *module) {
  rows->module = module;
  make_labels(rows->counters, module->counters);
  make_labels(rows->fcounters, module->fcounters);
}

int rows_begin(struct rows *rows, const struct darshan_base_record *base, const char *name,
               const char *mount, const char *type) {
  size_t most = foreign_length(name) + foreign_length(mount) + foreign_length(type) +
                strlen(rows->module->name) + 128;
  if (most > OUTPUT_LONGEST - 4096) return -1; /* the reader accepts no name of this length */
  if (most > rows->joint_size) {
    char *joint = realloc(rows->joint, 2 * most);
    if (!joint) return -1;
    rows->joint = joint;
    rows->joint_size = 2 * most;
  }
  char *p = rows->joint;
  const char *parts[] = {name, mount, type};
  for (int i = 0; i < 3; i++) {
    *p++ = '\t';
    p = foreign_put(p, parts[i]);
  }
  *p++ = '\n';
  rows->suffix = (size_t)(p - rows->joint);
  p = stpcpy(p, rows->module->name);
  *p++ = '\t';
  p = number_signed(p, base->rank);
  *p++ = '\t';
  p = number_unsigned(p, base->id);
  *p++ = '\t';
  rows->prefix = (size_t)(p - rows->joint) - rows->suffix;
  output_bytes(rows->out, rows->joint + rows->suffix, rows->prefix);
  return 0;
}

/* Ends the rows of a record. Removes the start of a further row, which was printed together with
 * the end of the last row. */
void rows_end(struct rows *rows) {
  rows->out->next -= rows->prefix;
}

/* Copies n bytes in pieces of 32 bytes, which is fast. May read and write up to 31 bytes after the
 * end; both buffers have this space. Returns the end of the n bytes at `to`. */
static inline char *copy_over(char *to, const char *from, size_t n) {
  enum { PIECE = 32 };
  for (size_t done = 0; done < n; done += PIECE)
    memcpy(to + done, from + done, PIECE);
  return to + n;
}

/* Copies a counter's name and the tab to the output. Returns the address at which the value is
 * written. */
static inline char *start_row(struct rows *rows, const struct row_label *label) {
  size_t need = OUTPUT_SLACK + NUMBER_MAX + rows->suffix + rows->prefix;
  char *p = output_room(rows->out, need);
  memcpy(p, label->text, sizeof(label->text));
  return p + label->length;
}

/* Ends the row whose value ends at p, and starts the next row up to its counter name. */
static inline void finish_row(struct rows *rows, char *p) {
  rows->out->next = copy_over(p, rows->joint, rows->suffix + rows->prefix);
}

void rows_counters(struct rows *rows, const int64_t *values) {
  for (int i = 0; i < rows->module->num_counters; i++) {
    const struct row_label *label = &rows->counters[i];
    char *p = start_row(rows, label);
    p = label->is_unsigned ? number_unsigned(p, (uint64_t)values[i]) : number_signed(p, values[i]);
    finish_row(rows, p);
  }
}

void rows_fcounters(struct rows *rows, const double *values) {
  for (int i = 0; i < rows->module->num_fcounters; i++)
    finish_row(rows, number_fixed(start_row(rows, &rows->fcounters[i]), values[i]));
}

/* Starts a row whose counter name is not in a table, for example a bin of a heat map. Returns the
 * address at which the value is written. */
static char *start_named(struct rows *rows, const char *counter) {
  output_text(rows->out, counter);
  char *p = output_room(rows->out, 1 + NUMBER_MAX + rows->suffix + rows->prefix);
  *p = '\t';
  return p + 1;
}

void rows_signed(struct rows *rows, const char *counter, int64_t value) {
  finish_row(rows, number_signed(start_named(rows, counter), value));
}

void rows_unsigned(struct rows *rows, const char *counter, uint64_t value) {
  finish_row(rows, number_unsigned(start_named(rows, counter), value));
}

void rows_double(struct rows *rows, const char *counter, double value) {
  finish_row(rows, number_fixed(start_named(rows, counter), value));
}

void rows_text(struct rows *rows, const char *counter, const char *value) {
  rows->out->next = start_named(rows, counter);
  output_foreign(rows->out, value);
  finish_row(rows, output_room(rows->out, rows->suffix + rows->prefix));
}

int rows_begin_file(struct rows *rows, const struct darshan_base_record *base) {
  const struct darshan_info *info = darshan_log_info(rows->log);
  const char *name = darshan_log_name(rows->log, base->id);
  int mount = darshan_log_mount(rows->log, name);
  if (!name) /* the runtime stores no name for the BG/Q record */
    name = rows->module->id == DARSHAN_MOD_BGQ ? "darshan-bgq-record" : "(null)";
  return rows_begin(rows, base, name, mount < 0 ? "UNKNOWN" : info->mounts[mount].path,
                    mount < 0 ? "UNKNOWN" : info->mounts[mount].type);
}

/* Prints counters and fcounters, and the id of the containing file if the record has one. Returns
 * 0, or -1 if out of memory. */
static int rows_plain(struct rows *rows, const void *record) {
  const struct darshan_module *module = rows->module;
  const struct darshan_base_record *base = record;
  const int64_t *words = (const int64_t *)(base + 1);
  bool has_file_id = module->kind == DARSHAN_KIND_FILE_COUNTERS;
  uint64_t file_id = has_file_id ? (uint64_t)*words++ : 0;
  if (rows_begin_file(rows, base) != 0) return -1;
  rows_counters(rows, words);
  rows_fcounters(rows, (const double *)(words + module->num_counters));
  if (has_file_id) {
    char counter[64];
    *stpcpy(stpcpy(counter, module->name), "_FILE_REC_ID") = '\0';
    rows_unsigned(rows, counter, file_id);
  }
  rows_end(rows);
  return 0;
}

int rows_record(struct rows *rows, const void *record) {
  switch (rows->module->kind) {
  case DARSHAN_KIND_COUNTERS:
  case DARSHAN_KIND_FILE_COUNTERS:
    return rows_plain(rows, record);
  case DARSHAN_KIND_LUSTRE:
    return rows_lustre(rows, record);
  case DARSHAN_KIND_HEATMAP:
    return rows_heatmap(rows, record);
  case DARSHAN_KIND_MDHIM:
    return rows_mdhim(rows, record);
  case DARSHAN_KIND_DFS:
    return rows_dfs(rows, record);
  case DARSHAN_KIND_DAOS:
    return rows_daos(rows, record);
  case DARSHAN_KIND_APMPI:
    return rows_apmpi(rows, record);
  default:
    return 0;
  }
}
