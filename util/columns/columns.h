/* What the files of this folder share. */
#ifndef DARSHAN_COLUMNS_INSIDE_H
#define DARSHAN_COLUMNS_INSIDE_H

#include "apmpi.h"
#include "darshan-columns.h"
#include "merge.h"

#include <stdbool.h>
#include <string.h>

/* texts.c: every text once. */
struct text_slot {
  uint32_t hash;
  int32_t number; /* 1 + a text; 0: free */
};
struct text_pool {
  struct darshan_texts texts;
  char *bytes;
  int32_t *offsets;
  size_t capacity, room; /* of bytes, of offsets */
  struct text_slot *slots;
  size_t num_slots;
  uint64_t seed;
};
/* The place of a text, -1: of NULL, or there is no memory, which *failed says. */
int32_t text_place(struct text_pool *pool, const char *text, bool *failed);
void text_pool_clear(struct text_pool *pool);
void text_pool_free(struct text_pool *pool);

/* table.c: rows come in one after another, and lie in columns. */
enum { ROWS_AT_A_TIME = 64 }; /* turned into columns together, whole cache lines of them */
struct table {
  struct darshan_table shown;
  struct darshan_column *columns;
  int words;              /* 64-bit words of a row as it comes in */
  size_t row_bytes;       /* of a row in all columns */
  int64_t capacity, most; /* rows: room, and how many there ever were */
  unsigned char *block;   /* the columns, one behind the other */
  uint64_t *waiting;      /* rows that are no columns yet */
  int num_waiting;
};
/* Columns are added while the table is new; name is not copied. */
bool table_column(struct table *table, const char *name, enum darshan_column_type type);
/* Room for one more row, NULL: no memory.  A text or an I32 takes a word, a UUID two. */
uint64_t *table_row(struct table *table, uint64_t bytes);
/* Makes columns of all rows. */
void table_settle(struct table *table);
/* Bytes of memory that it has: pages that were never written to take none. */
uint64_t table_touched(const struct table *table);
/* No rows; with or without the room for them. */
void table_empty(struct table *table);
void table_drop(struct table *table);
void table_free(struct table *table);

/* batch.c */
enum { TABLES_MAX = 2 + 2 * (DARSHAN_MAX_MODULES + 64) };
struct darshan_batch {
  uint64_t bytes, used;
  int flags;
  bool failed; /* no memory */
  struct text_pool pool;
  struct table tables[TABLES_MAX];
  int num_tables;
  const struct darshan_table *shown[TABLES_MAX]; /* those that have rows */
  int num_shown;
  int64_t log_number;
  /* the log that is open, if one is, and how far it is read */
  darshan_log *log;
  int region;
  darshan_records *records;
  const struct darshan_module *module;
  const void *record; /* of many rows, the one that is not through */
  size_t record_size;
  int64_t row_of_record;
  struct darshan_apmpi_head calls; /* of APMPI: how the records of this log are meant */
  /* its total of the module that is being read */
  struct darshan_merge_plan plan;
  struct darshan_total_state total;
  uint64_t total_record[512];
  int64_t num_records;
};
/* The table of this kind and module, made when it is asked for first; NULL: no memory. */
struct table *batch_table(darshan_batch *batch, enum darshan_table_kind kind, int module);
uint64_t *batch_row(darshan_batch *batch, struct table *table);
bool batch_is_full(const darshan_batch *batch);
uint64_t batch_text(darshan_batch *batch, const char *text);
void batch_problem(darshan_batch *batch, int module, const char *text);

/* shapes.c: which columns there are. */
bool shape_table(struct table *table, enum darshan_table_kind kind, int module);

/* rows.c: the rows of one record.  rows_of_record: false when the batch is full and the
 * record is not through. */
bool rows_are_known(const struct darshan_module *module, int flags);
bool rows_of_record(darshan_batch *batch);
void row_of_total(darshan_batch *batch);
void row_of_log(darshan_batch *batch);
/* What every row of a record begins with, ROW_HEAD words of it. */
enum { ROW_HEAD = 6 };
void row_begin(darshan_batch *batch, uint64_t *row);
static inline uint64_t row_bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof(word));
  return word;
}

/* calls.c: of a record of APMPI a row for each call that was made. */
bool call_rows(darshan_batch *batch, struct table *table);

#endif
