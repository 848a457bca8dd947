/* All records of a module, sorted so that two logs can be compared. */
#ifndef DARSHAN_DIFF_RECORD_LIST_H
#define DARSHAN_DIFF_RECORD_LIST_H

#include "darshan-read.h"

/* An entry of the list: a record's key, and where the record is stored. */
struct record_place {
  uint64_t id;
  int64_t rank;
  size_t number;   /* index among the records with the same id and rank, in the log's order */
  size_t at, size; /* offset in record_list.bytes; length in bytes */
};

struct record_list {
  char *bytes;                 /* all records, one after another */
  struct record_place *places; /* sorted by id, rank and number */
  size_t count;                /* number of records */
};

/* Reads all records of a module into the list and sorts them. Returns 0, or -1 with an error; the
 * list then has the records before the error. In both cases the caller frees the list. */
int record_list_read(struct record_list *list, darshan_log *log, int module,
                     struct darshan_error *error);
void record_list_free(struct record_list *list);

/* Compares two records of different lists by id, rank and number. Returns, like strcmp, a negative
 * number, 0 if all three are equal, or a positive number. */
int record_list_order(const struct record_place *left, const struct record_place *right);

#endif
