/* Makes a record's rows in memory, in the form that darshan-parser prints: one line per counter. A
 * trace also becomes rows. */
#ifndef DARSHAN_DIFF_RECORD_ROWS_H
#define DARSHAN_DIFF_RECORD_ROWS_H

#include "rows.h"

struct record_row { /* pointers into one line; not NUL-terminated */
  const char *line, *counter, *value;
  size_t length, counter_length, value_length; /* length: of the line without its newline */
};

struct record_rows {
  struct rows rows;
  struct output out;       /* prints into `text` */
  char *text;              /* all lines of the record */
  size_t used, room;       /* bytes of the text; capacity */
  struct record_row *list; /* one element per line */
  size_t count, list_room; /* number of lines; capacity of the list */
};

/* record_rows_open prepares rows of a log, record_rows_module chooses the module, record_rows_make
 * replaces the rows by the rows of one record of this module, record_rows_close frees all, also
 * after a failed record_rows_open. Functions with a result return 0, or -1 if out of memory. */
int record_rows_open(struct record_rows *rows, const darshan_log *log);
void record_rows_module(struct record_rows *rows, const struct darshan_module *module);
int record_rows_make(struct record_rows *rows, const void *record);
void record_rows_close(struct record_rows *rows);

#endif
