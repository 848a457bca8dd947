/* Reads logs into a batch, log by log and module by module, until the batch is full
 * (darshan-columns.h). The next call continues at the same record. */
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(struct darshan_error *error) {
  static const char text[] = "cannot convert records to columns: out of memory";
  memcpy(error->text, text, sizeof(text));
}

darshan_batch *darshan_batch_new(uint64_t bytes, int flags, struct darshan_error *error) {
  darshan_batch *batch = calloc(1, sizeof(*batch));
  if (!batch) {
    out_of_memory(error);
    return NULL;
  }
  batch->bytes = bytes;
  batch->flags = flags;
  return batch;
}

static void close_log(darshan_batch *batch) {
  darshan_records_close(batch->records);
  darshan_log_free(batch->log);
  batch->records = NULL;
  batch->record = NULL;
  batch->log = NULL;
}

void darshan_batch_free(darshan_batch *batch) {
  if (!batch) return;
  close_log(batch);
  for (int i = 0; i < batch->num_tables; i++)
    table_free(&batch->tables[i]);
  text_pool_free(&batch->pool);
  free(batch);
}

struct table *batch_table(darshan_batch *batch, enum darshan_table_kind kind, int module) {
  for (int i = 0; i < batch->num_tables; i++) {
    struct table *table = &batch->tables[i];
    if (table->shown.kind == (int)kind && table->shown.module == module) return table;
  }
  struct table *table = &batch->tables[batch->num_tables];
  if (batch->num_tables == TABLES_MAX || !shape_table(table, kind, module)) {
    batch->failed = true;
    return NULL;
  }
  table->shown.kind = (int)kind;
  table->shown.module = module;
  batch->num_tables++;
  return table;
}

uint64_t *batch_row(darshan_batch *batch, struct table *table) {
  uint64_t *row = table_row(table, batch->bytes);
  if (!row) batch->failed = true;
  batch->used += table->row_bytes;
  return row;
}

bool batch_is_full(const darshan_batch *batch) {
  return batch->used + (uint64_t)batch->pool.texts.count * sizeof(int32_t) +
             (batch->pool.offsets ? (uint64_t)batch->pool.offsets[batch->pool.texts.count] : 0) >=
         batch->bytes;
}

uint64_t batch_text(darshan_batch *batch, const char *text) {
  return (uint64_t)(int64_t)text_place(&batch->pool, text, &batch->failed);
}

void batch_problem(darshan_batch *batch, int module, const char *text) {
  struct table *table = batch_table(batch, DARSHAN_TABLE_PROBLEMS, -1);
  uint64_t *row = table ? batch_row(batch, table) : NULL;
  if (!row) return;
  row[0] = (uint64_t)batch->log_number;
  row[1] = (uint64_t)(int64_t)module;
  row[2] = batch_text(batch, text);
}

/* Opens the log at `path` and adds its row. Returns false if it cannot be read; it then becomes a
 * problem of the batch. */
static bool begin_log(darshan_batch *batch, const char *path) {
  struct darshan_error error = {""};
  batch->log = darshan_log_read(path, &error);
  batch->region = 0;
  if (!batch->log) {
    batch_problem(batch, -1, error.text);
    batch->log_number++;
    return false;
  }
  row_of_log(batch);
  return true;
}

/* Adds a problem for a module of a later release, so that the log does not seem complete. */
static void unknown_module(darshan_batch *batch, int id) {
  char text[80];
  snprintf(text, sizeof(text), "has records of module %d, which this release does not know", id);
  batch_problem(batch, id, text);
}

/* Opens the next module whose records become rows. Modules that are unknown or cannot be read
 * become problems of the batch. Returns false if there are no more modules. */
static bool begin_module(darshan_batch *batch) {
  const struct darshan_info *info = darshan_log_info(batch->log);
  while (batch->region < info->num_modules) {
    const struct darshan_module_region *region = &info->modules[batch->region++];
    const struct darshan_module *module = darshan_module_by_id(region->id);
    struct darshan_error error = {""};
    if (region->length == 0) continue;
    if (!module) unknown_module(batch, region->id);
    if (!rows_are_known(module, batch->flags)) continue;
    batch->module = module;
    batch->records = darshan_records_open(batch->log, region->id, &error);
    if (!batch->records) {
      batch_problem(batch, region->id, error.text);
      continue;
    }
    bool counted = darshan_merge_plan_of(&batch->plan, region->id);
    if (!counted || batch->plan.record_size > sizeof(batch->total_record)) batch->plan.id = -1;
    memset(&batch->total, 0, sizeof(batch->total));
    memset(&batch->calls, 0, sizeof(batch->calls));
    memset(batch->total_record, 0, sizeof(batch->total_record));
    batch->num_records = 0;
    return true;
  }
  return false;
}

static void end_module(darshan_batch *batch) {
  if (batch->plan.id >= 0 && batch->num_records > 0) row_of_total(batch);
  darshan_records_close(batch->records);
  batch->records = NULL;
}

/* Reads the next record and adds it to the module's total. Returns false at the end of the module,
 * and at corrupt data, which become a problem of the batch. */
static bool next_record(darshan_batch *batch) {
  struct darshan_error error = {""};
  batch->row_of_record = 0;
  int more = darshan_records_next(batch->records, &batch->record, &batch->record_size, &error);
  if (more < 0) batch_problem(batch, batch->module->id, error.text);
  if (more <= 0) {
    batch->record = NULL;
    return false;
  }
  batch->num_records++;
  if (batch->plan.id >= 0)
    darshan_total_add(&batch->plan, &batch->total, batch->total_record, batch->record);
  return true;
}

/* Reads the rest of the open log. Returns false if the batch is full before the log's end, or if
 * out of memory (batch->failed). */
static bool read_log(darshan_batch *batch) {
  for (;;) {
    if (!batch->records && !begin_module(batch)) return true;
    for (;;) {
      if (batch_is_full(batch) || batch->failed) return false;
      if (!batch->record && !next_record(batch)) break;
      if (!rows_of_record(batch)) return false;
      batch->record = NULL;
    }
    end_module(batch);
  }
}

/* Completes the tables, and lists those with rows in batch->shown. */
static void settle(darshan_batch *batch) {
  batch->num_shown = 0;
  for (int i = 0; i < batch->num_tables; i++) {
    table_settle(&batch->tables[i]);
    if (batch->tables[i].shown.rows > 0) batch->shown[batch->num_shown++] = &batch->tables[i].shown;
  }
}

int64_t darshan_batch_read(darshan_batch *batch, const char *const *paths, int64_t count,
                           struct darshan_error *error) {
  int64_t done = 0;
  while (done < count && !batch->failed && !batch_is_full(batch)) {
    if (!batch->log && !begin_log(batch, paths[done])) {
      done++;
      continue;
    }
    if (!read_log(batch)) break;
    close_log(batch);
    batch->log_number++;
    done++;
  }
  settle(batch);
  if (!batch->failed) return done;
  out_of_memory(error);
  return -1;
}

int darshan_batch_num_tables(const darshan_batch *batch) {
  return batch->num_shown;
}

const struct darshan_table *darshan_batch_table(const darshan_batch *batch, int number) {
  return number >= 0 && number < batch->num_shown ? batch->shown[number] : NULL;
}

const struct darshan_texts *darshan_batch_texts(const darshan_batch *batch) {
  return &batch->pool.texts;
}

/* Empties the tables. Keeps their memory for later rows, because new pages take time; frees it if
 * it has grown too large, for example by modules that only one log has. */
void darshan_batch_clear(darshan_batch *batch) {
  uint64_t touched = 0;
  for (int i = 0; i < batch->num_tables; i++)
    touched += table_touched(&batch->tables[i]);
  bool keep = touched <= batch->bytes + batch->bytes / 2;
  for (int i = 0; i < batch->num_tables; i++)
    keep ? table_empty(&batch->tables[i]) : table_drop(&batch->tables[i]);
  text_pool_clear(&batch->pool);
  batch->used = 0;
  batch->num_shown = 0;
}
