/* Defines the columns of each table: fixed ones and, for tables of counters, those that the
 * modules' counters give. */
#include "columns.h"

#include <stddef.h>

#define I64 DARSHAN_COLUMN_I64
#define U64 DARSHAN_COLUMN_U64
#define F64 DARSHAN_COLUMN_F64
#define TEXT DARSHAN_COLUMN_TEXT

struct shape {
  const char *name; /* of the column; NULL ends an array */
  enum darshan_column_type type;
};

/* Adds columns to a new table: those in the array at `shape`, which ends with a NULL name. Returns
 * false if out of memory. */
static bool add(struct table *table, const struct shape *shape) {
  for (; shape->name; shape++)
    if (!table_column(table, shape->name, shape->type)) return false;
  return true;
}

static const struct shape logs[] = {
    {"version", TEXT},  {"command", TEXT},   {"metadata", TEXT},   {"partial", TEXT},
    {"annex", TEXT},    {"swapped", I64},    {"compression", I64}, {"uid", I64},
    {"start_sec", I64}, {"start_nsec", I64}, {"end_sec", I64},     {"end_nsec", I64},
    {"nprocs", I64},    {"job_id", I64},     {"run_time", F64},    {NULL, I64}};
static const struct shape problems[] = {{"module", I64}, {"problem", TEXT}, {NULL, I64}};
static const struct shape record[] = {{"id", U64},     {"rank", I64},         {"name", TEXT},
                                      {"mount", TEXT}, {"file_system", TEXT}, {NULL, I64}};
static const struct shape bin[] = {{"bin", I64},           {"bin_seconds", F64},
                                   {"start_seconds", F64}, {"bytes_read", I64},
                                   {"bytes_written", I64}, {NULL, I64}};
static const struct shape wait[] = {{"bin", I64},
                                    {"bin_seconds", F64},
                                    {"start_seconds", F64},
                                    {"message_seconds", F64},
                                    {"collective_seconds", F64},
                                    {NULL, I64}};
static const struct shape part[] = {{"bin", I64},           {"bin_seconds", F64},
                                    {"start_seconds", F64}, {"part_seconds", F64},
                                    {"whole_seconds", F64}, {NULL, I64}};
static const struct shape segment[] = {
    {"host", TEXT},         {"is_write", I64},    {"offset", I64}, {"length", I64},
    {"start_seconds", F64}, {"end_seconds", F64}, {"thread", U64}, {NULL, I64}};
static const struct shape component[] = {{"component", I64}, {NULL, I64}};
static const struct shape pool[] = {{"pool_name", TEXT}, {"osts", TEXT}, {NULL, I64}};
static const struct shape servers[] = {{"operations", TEXT}, {NULL, I64}};
static const struct shape call[] = {{"processor", TEXT},
                                    {"call", TEXT},
                                    {"calls", I64},
                                    {"bytes", I64},
                                    {"sizes_0_256", I64},
                                    {"sizes_256_1k", I64},
                                    {"sizes_1k_8k", I64},
                                    {"sizes_8k_256k", I64},
                                    {"sizes_256k_1m", I64},
                                    {"sizes_1m_plus", I64},
                                    {"seconds", F64},
                                    {"shortest_seconds", F64},
                                    {"longest_seconds", F64},
                                    {"wait_seconds", F64},
                                    {"variance", F64},
                                    {"wait_variance", F64},
                                    {NULL, I64}};
static const struct shape places[] = {
    {"pool_uuid", DARSHAN_COLUMN_UUID}, {"cont_uuid", DARSHAN_COLUMN_UUID}, {NULL, I64}};
static const struct shape object[] = {{"oid_hi", U64}, {"oid_lo", U64}, {NULL, I64}};

/* Adds a column for each of `count` counters. row: the counter table. is_float: they are doubles.
 * Returns false if out of memory. */
static bool add_rows(struct table *table, const struct darshan_counter *row, int count,
                     bool is_float) {
  /* Skips counters that were removed, which the newest record does not have; all others have the
   * record's order. */
  for (int i = 0; i < count; row++) {
    if (row->index < 0) continue;
    enum darshan_column_type type = is_float ? F64 : row->unit == DARSHAN_UNIT_ID ? U64 : I64;
    if (!table_column(table, row->name, type)) return false;
    i++;
  }
  return true;
}

static bool add_counters(struct table *table, const struct darshan_module *module) {
  return add_rows(table, module->counters, module->num_counters, false) &&
         add_rows(table, module->fcounters, module->num_fcounters, true);
}

/* Adds the columns of a table of records after the first one. Returns false if out of memory. */
static bool shape_records(struct table *table, const struct darshan_module *module) {
  static const struct shape file[] = {{"file_rec_id", U64}, {NULL, I64}};
  if (!add(table, record)) return false;
  switch (module->kind) {
  case DARSHAN_KIND_HEATMAP:
    if (module->id == DARSHAN_MOD_TRAINING_TIME) return add(table, part);
    return add(table, module->id == DARSHAN_MOD_MPIWAIT ? wait : bin);
  case DARSHAN_KIND_DXT:
    return add(table, segment);
  case DARSHAN_KIND_LUSTRE:
    return add(table, component) && add_counters(table, module) && add(table, pool);
  case DARSHAN_KIND_MDHIM:
    return add_counters(table, module) && add(table, servers);
  case DARSHAN_KIND_APMPI:
    return add(table, call);
  case DARSHAN_KIND_FILE_COUNTERS:
    return add(table, file) && add_counters(table, module);
  case DARSHAN_KIND_DFS:
    return add_counters(table, module) && add(table, places);
  case DARSHAN_KIND_DAOS:
    return add_counters(table, module) && add(table, places) && add(table, object);
  default:
    return add_counters(table, module);
  }
}

bool shape_table(struct table *table, enum darshan_table_kind kind, int module) {
  static const struct shape log[] = {{"log", I64}, {NULL, I64}};
  static const struct shape total[] = {{"records", I64}, {NULL, I64}};
  const struct darshan_module *known = darshan_module_by_id(module);
  if (!add(table, log)) return false;
  switch (kind) {
  case DARSHAN_TABLE_LOGS:
    return add(table, logs);
  case DARSHAN_TABLE_PROBLEMS:
    return add(table, problems);
  case DARSHAN_TABLE_TOTALS:
    return add(table, total) && add_counters(table, known);
  default:
    return shape_records(table, known);
  }
}
