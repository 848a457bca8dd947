/* Declares functions that print data rows with eight columns. Within a record, all columns except
 * counter and value are equal in all rows, so they are formatted only once. */
#ifndef DARSHAN_ROWS_H
#define DARSHAN_ROWS_H

#include "darshan-read.h"
#include "output.h"

#include <stdbool.h>

/* A counter's name and a tab, padded so that one copy of fixed size includes it. */
struct row_label {
  char text[OUTPUT_SLACK];
  size_t length;    /* bytes of name and tab */
  bool is_unsigned; /* true: the values are ids, printed as unsigned numbers */
};

/* At least the number of counters in the longest table (asserted in rows.c). */
enum { ROW_LABELS_MAX = 512 };

struct darshan_lustre_head;
struct darshan_mdhim_head;
struct darshan_dfs_record;
struct darshan_daos_record;
struct darshan_apmpi_record;

struct rows {
  struct output *out;
  const darshan_log *log;
  const struct darshan_module *module;
  struct row_label counters[ROW_LABELS_MAX], fcounters[ROW_LABELS_MAX];
  char *joint; /* columns after the value, newline, and columns before the next row's counter */
  size_t joint_size, suffix, prefix; /* bytes: allocated; up to the newline; after it */
  bool apmpi_sync; /* true: the log's first record says that waiting was measured */
};

/* Prepares the rows for the records of a log. Returns 0, or -1 if out of memory. */
int rows_open(struct rows *rows, struct output *out, const darshan_log *log);
void rows_close(struct rows *rows);

/* Makes the labels of a module's counters. Called before the records of the module. */
void rows_module(struct rows *rows, const struct darshan_module *module);

/* Prints all rows of a record. Returns 0, or -1 if out of memory. */
int rows_record(struct rows *rows, const void *record);

/* These functions are the steps of rows_record, which rows-special.c uses for other kinds of rows.
 * A caller first calls rows_begin with the columns that are equal in all rows, then prints each
 * row, then calls rows_end. rows_begin returns 0, or -1 if out of memory. */
int rows_begin(struct rows *rows, const struct darshan_base_record *base, const char *name,
               const char *mount, const char *type);
void rows_end(struct rows *rows);
/* Print a row for each counter of the module's table. values: the counters of the record. */
/* Print a row for each counter of the module's table. values: the counters of the record. */
void rows_counters(struct rows *rows, const int64_t *values);
void rows_fcounters(struct rows *rows, const double *values);
/* Print one row with this counter name and value. */
/* Print one row with this counter name and value. */
void rows_signed(struct rows *rows, const char *counter, int64_t value);
void rows_unsigned(struct rows *rows, const char *counter, uint64_t value);
void rows_double(struct rows *rows, const char *counter, double value);
void rows_text(struct rows *rows, const char *counter, const char *value);

/* Begins rows like rows_begin, with the name, mount point and file system that the log has for the
 * record; "(null)" and "UNKNOWN" if it has none. Returns 0, or -1 if out of memory. */
int rows_begin_file(struct rows *rows, const struct darshan_base_record *base);

/* Print all rows of a record of one module; rows_record calls them. Return 0, or -1 if out of
 * memory. */
int rows_lustre(struct rows *rows, const struct darshan_lustre_head *head);
int rows_heatmap(struct rows *rows, const struct darshan_heatmap_head *head);
int rows_mdhim(struct rows *rows, const struct darshan_mdhim_head *head);
int rows_dfs(struct rows *rows, const struct darshan_dfs_record *record);
int rows_daos(struct rows *rows, const struct darshan_daos_record *record);
int rows_apmpi(struct rows *rows, const struct darshan_apmpi_record *record);

/* Names in the order of the record's values (apmpi.h). Each array ends with the name of its length
 * constant and NULL. These arrays are part of the interface of libdarshan-util. */
extern char *apmpi_counter_names[];
extern char *apmpi_f_mpiop_totaltime_counter_names[];
extern char *apmpi_f_mpiop_synctime_counter_names[];

#endif
