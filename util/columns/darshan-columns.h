/* Reads many logs into tables of columns, for programs that store logs in tables; a part of
 * libdarshan-read.
 *
 * A batch takes logs in turn, up to a limit of memory. Then it has a table per module with one
 * column per counter; each column is an array. The next read, after the tables are cleared,
 * continues a log that did not fit, so memory does not depend on the size of a log. Only one
 * thread at a time may use a batch; different batches are independent.
 *
 * Logs are untrusted. An unreadable log or module becomes a row of the problems table, and the
 * batch continues with the next one. Strings are made UTF-8: a byte that is not UTF-8 becomes \xNN.
 * Strings are limited to 1 MiB. */
#ifndef DARSHAN_COLUMNS_H
#define DARSHAN_COLUMNS_H

#include "darshan-read.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct darshan_batch darshan_batch;

/* The type of an element of a column. I64: int64_t; U64: uint64_t; F64: double; I32: int32_t. */
enum darshan_column_type {
  DARSHAN_COLUMN_I64,
  DARSHAN_COLUMN_U64,
  DARSHAN_COLUMN_F64,
  DARSHAN_COLUMN_TEXT, /* int32_t: index in darshan_batch_texts; -1: no text */
  DARSHAN_COLUMN_I32,
  DARSHAN_COLUMN_UUID /* 16 bytes */
};

struct darshan_column {
  const char *name;   /* of a counter: with its prefix */
  int type;           /* enum darshan_column_type */
  const void *values; /* an array with an element per row of the table */
};

enum darshan_table_kind {
  DARSHAN_TABLE_LOGS,     /* a row per log that could be opened */
  DARSHAN_TABLE_PROBLEMS, /* unreadable logs and modules, with the reason */
  DARSHAN_TABLE_RECORDS, /* a row per record of a module, or per component, bin, segment or MPI call
                            in it */
  DARSHAN_TABLE_TOTALS   /* a row per log and module, after its last record: the total */
};

/* A table of a batch. The first column of each table is "log": the index of the log, from 0, among
 * all logs that this batch has read. */
struct darshan_table {
  int kind;   /* enum darshan_table_kind */
  int module; /* id of the module; -1: a table of logs or problems */
  int num_columns;
  const struct darshan_column *columns;
  int64_t rows; /* number of rows */
};

/* The strings of a batch: string n is at bytes + offsets[n] and ends before bytes + offsets[n +
 * 1]. */
struct darshan_texts {
  int64_t count;
  const char *bytes;
  const int32_t *offsets;
};

enum darshan_batch_flags { DARSHAN_BATCH_TRACES = 1 /* also read DXT */ };

/* Makes an empty batch, which darshan_batch_free frees. bytes: the approximate limit of the memory
 * for all tables and texts. flags: the sum of enum darshan_batch_flags. Returns NULL with an error
 * if out of memory. */
darshan_batch *darshan_batch_new(uint64_t bytes, int flags, struct darshan_error *error);
void darshan_batch_free(darshan_batch *batch);

/* Reads the logs at `count` paths until all are read or the batch is full. Returns the number of
 * logs that were read completely; a log that cannot be read counts, too, and becomes a problem of
 * the batch. The caller then takes the tables and calls darshan_batch_clear. The next call must
 * begin with the first path that did not count, and continues in that log. Returns -1 with an error
 * if out of memory. */
int64_t darshan_batch_read(darshan_batch *batch, const char *const *paths, int64_t count,
                           struct darshan_error *error);

/* darshan_batch_num_tables returns how many tables have rows. darshan_batch_table returns one of
 * them, number from 0 on; NULL for another number. The number, the tables and the texts are valid
 * until the next read, clear or free. */
int darshan_batch_num_tables(const darshan_batch *batch);
const struct darshan_table *darshan_batch_table(const darshan_batch *batch, int number);
const struct darshan_texts *darshan_batch_texts(const darshan_batch *batch);

/* Empties all tables and texts. Keeps the open log and the numbers of the logs. */
void darshan_batch_clear(darshan_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
