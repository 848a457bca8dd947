/* Many logs as columns, for who keeps them in a table: a part of libdarshan-read.
 *
 * A batch takes one log after another, up to a bound of memory, and has then a table per
 * module: a column per counter, each an array of its own.  A log that does not fit is
 * continued after the tables were taken and cleared, so that memory does not depend on
 * the size of a log.  A batch is used by one thread at a time; batches are independent.
 *
 * A log comes from a stranger: what cannot be read becomes a row of the problems, and the
 * next log is begun.  Texts are made UTF-8: a byte that is none becomes \xNN; of one that is
 * longer than a MiB that much is taken. */
#ifndef DARSHAN_COLUMNS_H
#define DARSHAN_COLUMNS_H

#include "darshan-read.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct darshan_batch darshan_batch;

enum darshan_column_type {
  DARSHAN_COLUMN_I64,
  DARSHAN_COLUMN_U64,
  DARSHAN_COLUMN_F64,
  DARSHAN_COLUMN_TEXT, /* int32_t: place in darshan_batch_texts, -1: none */
  DARSHAN_COLUMN_I32,
  DARSHAN_COLUMN_UUID /* 16 bytes */
};

struct darshan_column {
  const char *name; /* of a counter: with its prefix */
  int type;         /* enum darshan_column_type */
  const void *values;
};

enum darshan_table_kind {
  DARSHAN_TABLE_LOGS,     /* a row per log that could be opened, when it is begun */
  DARSHAN_TABLE_PROBLEMS, /* what could not be read, and why */
  DARSHAN_TABLE_RECORDS,  /* a row per record of a module; per component, bin, segment, call of
                             MPI of those that have such */
  DARSHAN_TABLE_TOTALS    /* a row per log: all records of a module as one, when it is through */
};

/* The first column of each is "log": the place of its log in all that this batch was given
 * since it was made, counted from 0. */
struct darshan_table {
  int kind;   /* enum darshan_table_kind */
  int module; /* -1: of none */
  int num_columns;
  const struct darshan_column *columns;
  int64_t rows;
};

/* Text n is bytes[offsets[n] .. offsets[n + 1]). */
struct darshan_texts {
  int64_t count;
  const char *bytes;
  const int32_t *offsets;
};

enum darshan_batch_flags { DARSHAN_BATCH_TRACES = 1 /* read DXT, too */ };

/* bytes: what all tables may hold together, more or less; NULL: error filled. */
darshan_batch *darshan_batch_new(uint64_t bytes, int flags, struct darshan_error *error);
void darshan_batch_free(darshan_batch *batch);

/* Reads logs until all are through, or the batch is full.  Returns how many are through;
 * paths[that] is to come first at the next call, after darshan_batch_clear, which goes on
 * inside of it.  -1: no memory; error filled. */
int64_t darshan_batch_read(darshan_batch *batch, const char *const *paths, int64_t count,
                           struct darshan_error *error);

/* Valid until the next read, clear or free. */
int darshan_batch_num_tables(const darshan_batch *batch);
const struct darshan_table *darshan_batch_table(const darshan_batch *batch, int number);
const struct darshan_texts *darshan_batch_texts(const darshan_batch *batch);

/* Empties all tables and texts. */
void darshan_batch_clear(darshan_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
