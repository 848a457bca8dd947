/* Declarations that only the files of this folder share. */
#ifndef DARSHAN_COLUMNS_INSIDE_H
#define DARSHAN_COLUMNS_INSIDE_H

#include "apmpi.h"
#include "darshan-columns.h"
#include "merge/merge.h"

#include <stdbool.h>
#include <string.h>

/* Functions and structs of texts.c, which stores each string once. */
struct text_slot {
  uint32_t hash;
  int32_t number; /* 1 + index of a string; 0: free */
};
struct text_pool {
  struct darshan_texts texts;
  char *bytes;
  int32_t *offsets;
  size_t capacity, room; /* capacity of bytes; capacity of offsets */
  struct text_slot *slots;
  size_t num_slots;
  uint64_t seed;
};
/* Returns the index of a string, of which at most 1 MiB is stored; -1 for NULL. Returns -1 and sets
 * *failed if out of memory, or if the strings together exceed 1 GiB. */
int32_t text_place(struct text_pool *pool, const char *text, bool *failed);
void text_pool_clear(struct text_pool *pool);
void text_pool_free(struct text_pool *pool);

/* Functions and structs of table.c, which receives rows and stores them as columns. ROWS_AT_A_TIME
 * rows are transposed together, because they fill whole cache lines. */
enum { ROWS_AT_A_TIME = 64 }; /* rows that are transposed together: whole cache lines */
struct table {
  struct darshan_table shown;
  struct darshan_column *columns;
  int words;              /* number of 64-bit words of an incoming row */
  size_t row_bytes;       /* bytes of a row in all columns */
  int64_t capacity, most; /* number of rows: limit, and largest number so far */
  unsigned char *block;   /* all columns, one after another */
  uint64_t *waiting;      /* rows that are not transposed yet */
  int num_waiting;
};
/* Adds a column to a new table. name: must stay valid. Returns false if out of memory. */
bool table_column(struct table *table, const char *name, enum darshan_column_type type);
/* Adds a row to the table and returns its memory, which the caller fills with 64-bit words: one for
 * a number or a string, two for a UUID. bytes: memory for all rows, if this is the first row.
 * Returns NULL if out of memory, or if the table is full. */
uint64_t *table_row(struct table *table, uint64_t bytes);
/* Moves the rows that are not transposed yet into the columns of the table. */
void table_settle(struct table *table);
/* Returns the bytes of memory that the table has written. Pages that were never written use no
 * memory. */
uint64_t table_touched(const struct table *table);
/* table_empty removes the rows, table_drop also frees their memory. */
void table_empty(struct table *table);
void table_drop(struct table *table);
void table_free(struct table *table);

/* Functions and structs of batch.c. TABLES_MAX: the largest number of tables of a batch: one of
 * problems, one of logs, and two per module. */
enum { TABLES_MAX = 2 + 2 * (DARSHAN_MAX_MODULES + 64) };
struct darshan_batch {
  uint64_t bytes, used;
  int flags;
  bool failed; /* out of memory */
  struct text_pool pool;
  struct table tables[TABLES_MAX];
  int num_tables;
  const struct darshan_table *shown[TABLES_MAX]; /* tables with rows */
  int num_shown;
  int64_t log_number;
  /* The open log, and the position in it. */
  darshan_log *log;
  int region;
  darshan_records *records;
  const struct darshan_module *module;
  const void *record; /* record whose rows have not all been added */
  size_t record_size;
  int64_t row_of_record;
  struct darshan_apmpi_head calls; /* APMPI: the head of this log's records */
  /* The total of the current module in the open log. */
  struct darshan_merge_plan plan;
  struct darshan_total_state total;
  uint64_t total_record[512];
  int64_t num_records;
};
/* batch_table returns the table of this kind and module, which is made at its first use; NULL if
 * out of memory. */
struct table *batch_table(darshan_batch *batch, enum darshan_table_kind kind, int module);
uint64_t *batch_row(darshan_batch *batch, struct table *table);
bool batch_is_full(const darshan_batch *batch);
uint64_t batch_text(darshan_batch *batch, const char *text);
void batch_problem(darshan_batch *batch, int module, const char *text);

/* Function of shapes.c: defines the columns of a table. module: id of its module, or -1. Returns
 * false if out of memory. */
bool shape_table(struct table *table, enum darshan_table_kind kind, int module);

/* Functions of rows.c, which makes the rows of a record. rows_are_known returns true if a module's
 * records can become rows; flags: as in darshan_batch_new. rows_of_record returns false if the
 * batch is full before the record's last row, or if out of memory. */
bool rows_are_known(const struct darshan_module *module, int flags);
bool rows_of_record(darshan_batch *batch);
void row_of_total(darshan_batch *batch);
void row_of_log(darshan_batch *batch);
/* Every row of a record begins with the same ROW_HEAD words. */
enum { ROW_HEAD = 6 };
void row_begin(darshan_batch *batch, uint64_t *row);
static inline uint64_t row_bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof(word));
  return word;
}

/* Function of calls.c: makes one row per MPI function that a process of an APMPI record called.
 * Returns false if the batch is full before the last row, or if out of memory. */
bool call_rows(darshan_batch *batch, struct table *table);

#endif
