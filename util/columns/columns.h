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
  uint32_t hash;  /* upper half of the string's hash */
  int32_t number; /* 1 + index of a string; 0: free */
};
struct text_pool {
  struct darshan_texts texts; /* what darshan_batch_texts shows */
  char *bytes;                /* all strings, one after another, without NUL */
  int32_t *offsets;           /* begin of each string in bytes, and the end of the last one */
  size_t capacity, room;      /* capacity of bytes; capacity of offsets */
  struct text_slot *slots;    /* hash table of the strings */
  size_t num_slots;           /* a power of two */
  uint64_t seed;              /* random seed of the hashes */
};
/* Adds a string to the pool unless it is there. Stores at most 1 MiB of it, as UTF-8. Returns its
 * index in the pool; -1 for NULL. Returns -1 and sets *failed if out of memory, or if the strings
 * together exceed 1 GiB. */
int32_t text_place(struct text_pool *pool, const char *text, bool *failed);
/* Removes all strings, and keeps the memory for the next ones. */
void text_pool_clear(struct text_pool *pool);
void text_pool_free(struct text_pool *pool);

/* Functions and structs of table.c, which receives rows and stores them as columns. ROWS_AT_A_TIME
 * rows are transposed together, because they fill whole cache lines. */
enum { ROWS_AT_A_TIME = 64 };
struct table {
  struct darshan_table shown; /* what darshan_batch_table returns */
  struct darshan_column *columns;
  int words;              /* number of 64-bit words of an incoming row */
  size_t row_bytes;       /* bytes of a row in all columns */
  int64_t capacity, most; /* number of rows: limit, and largest number so far */
  unsigned char *block;   /* all columns, one after another */
  uint64_t *waiting;      /* rows that are not transposed yet */
  int num_waiting;        /* their number, at most ROWS_AT_A_TIME */
};
/* Adds a column to a new table. name: must stay valid. Returns false if out of memory. */
bool table_column(struct table *table, const char *name, enum darshan_column_type type);
/* Adds a row to the table and returns its memory, which the caller fills before the next call with
 * 64-bit words: one for a number or the index of a string, two for a UUID. bytes: the first call
 * allocates about this many bytes for all rows. Returns NULL if out of memory, or if the table is
 * full. */
uint64_t *table_row(struct table *table, uint64_t bytes);
/* Moves the rows that are not transposed yet into the columns of the table. */
void table_settle(struct table *table);
/* Returns the bytes of memory that the table has written. Pages that were never written use no
 * memory. */
uint64_t table_touched(const struct table *table);
/* table_empty removes the rows, table_drop also frees their memory; both keep the columns.
 * table_free frees everything except the struct. */
void table_empty(struct table *table);
void table_drop(struct table *table);
void table_free(struct table *table);

/* Functions and structs of batch.c. TABLES_MAX: the largest number of tables of a batch: one of
 * problems, one of logs, and two per module. */
enum { TABLES_MAX = 2 + 2 * (DARSHAN_MAX_MODULES + 64) };
struct darshan_batch {
  uint64_t bytes, used; /* limit of the memory; bytes of the rows so far */
  int flags;            /* sum of enum darshan_batch_flags */
  bool failed;          /* out of memory */
  struct text_pool pool;
  struct table tables[TABLES_MAX];
  int num_tables;
  const struct darshan_table *shown[TABLES_MAX]; /* tables with rows */
  int num_shown;
  int64_t log_number; /* index of the open or next log among all logs of this batch */
  /* The open log, and the position in it. */
  darshan_log *log;         /* NULL: none is open */
  int region;               /* index of the next module in the log's info */
  darshan_records *records; /* NULL: no module is open */
  const struct darshan_module *module;
  const void *record; /* record whose rows have not all been added; NULL: read the next one */
  size_t record_size;
  int64_t row_of_record; /* index of the next part of the record (bin, segment, component, MPI
                            function) that becomes a row */
  struct darshan_apmpi_head calls; /* APMPI: the head of this log's records */
  /* The total of the current module in the open log. */
  struct darshan_merge_plan plan; /* plan.id -1: the module has no total */
  struct darshan_total_state total;
  uint64_t total_record[512]; /* a record of the module with the totals of its counters */
  int64_t num_records;        /* records of the module so far */
};
/* If one of these functions is out of memory, it sets batch->failed. */
/* Returns the table of this kind and module, which is made at its first use; NULL if out of
 * memory. module: -1 for the tables of logs and of problems. */
struct table *batch_table(darshan_batch *batch, enum darshan_table_kind kind, int module);
/* Adds a row to a table and returns its words, which the caller fills (table_row); NULL if out of
 * memory. */
uint64_t *batch_row(darshan_batch *batch, struct table *table);
/* Returns whether rows and strings have reached the limit of darshan_batch_new. */
bool batch_is_full(const darshan_batch *batch);
/* Returns the index of a string for a word of a row; -1 as a 64-bit word for NULL. */
uint64_t batch_text(darshan_batch *batch, const char *text);
/* Adds a row to the table of problems for the open log. module: id of a module, or -1 for the whole
 * log. */
void batch_problem(darshan_batch *batch, int module, const char *text);

/* Function of shapes.c: defines the columns of a table. module: id of its module, or -1. Returns
 * false if out of memory. */
bool shape_table(struct table *table, enum darshan_table_kind kind, int module);

/* Functions of rows.c, which makes rows. rows_are_known returns true if a module's records can
 * become rows, otherwise or if module is NULL false; flags: as in darshan_batch_new. rows_of_record
 * adds the rows of batch->record, from batch->row_of_record on; it returns false if the batch is
 * full before the last row, or if out of memory. row_of_total adds a row with the total of the
 * current module, row_of_log one with the job data of the open log. */
bool rows_are_known(const struct darshan_module *module, int flags);
bool rows_of_record(darshan_batch *batch);
void row_of_total(darshan_batch *batch);
void row_of_log(darshan_batch *batch);
/* Every row of a record begins with the same ROW_HEAD words, which row_begin fills: log, id, rank,
 * name, mount point, file system. */
enum { ROW_HEAD = 6 };
void row_begin(darshan_batch *batch, uint64_t *row);
/* Returns the bits of a double as a word of a row. */
static inline uint64_t row_bits(double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof(word));
  return word;
}

/* Function of calls.c: makes one row per MPI function that a process of an APMPI record called.
 * Returns false if the batch is full before the last row, or if out of memory. */
bool call_rows(darshan_batch *batch, struct table *table);

#endif
