/* Rows of the table of files. Similar files of one folder and extension share a row, by the rule of
 * the report (util/python/darshan_report/measure/files/similar_files.py). */
#ifndef DARSHAN_FRONT_SIMILAR_FILES_H
#define DARSHAN_FRONT_SIMILAR_FILES_H

#include "summary.h"

struct alike_row {
  char *name;
  int64_t files;     /* number of files in the row */
  int is_of_program; /* program files of an interpreter, which share a record */
  struct picture_file sum;
};

struct alike_rows {
  struct alike_row *row; /* sorted: other files before program files, then by time */
  size_t count;
};

/* Returns the rows, which alike_free frees; no rows if out of memory. */
struct alike_rows alike_rows(const struct picture *picture);
/* Puts the row with the most bytes touched through mappings at the end of the first `shown` rows,
 * unless it is already among them: the time of mapped access is in no call. */
void alike_show_mapped(struct alike_rows *rows, size_t shown);
void alike_free(struct alike_rows *rows);

#endif
