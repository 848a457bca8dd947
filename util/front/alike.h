/* Rows of the table of files: those of one folder and ending that are alike have one row, as in
 * the report (util/python/darshan_report/measure/alike.py, by the same rule). */
#ifndef DARSHAN_FRONT_ALIKE_H
#define DARSHAN_FRONT_ALIKE_H

#include "picture.h"

struct alike_row {
  char *name;
  int64_t files;     /* that it stands for */
  int is_of_program; /* program files of an interpreter, which share a record */
  struct picture_file sum;
};

struct alike_rows {
  struct alike_row *row; /* the user's own files first, then by time */
  size_t count;
};

/* To be freed; of no memory no rows are made. */
struct alike_rows alike_rows(const struct picture *picture);
/* Of the first `shown` rows the last becomes that of which most was touched through mappings, whose
 * time is in no call, if that is not among them. */
void alike_show_mapped(struct alike_rows *rows, size_t shown);
void alike_free(struct alike_rows *rows);

#endif
