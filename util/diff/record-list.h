/* All records of a module, sorted so that two logs can be compared. */
#ifndef DARSHAN_DIFF_RECORD_LIST_H
#define DARSHAN_DIFF_RECORD_LIST_H

#include "darshan-read.h"

struct record_place {
  uint64_t id;
  int64_t rank;
  size_t number; /* index among the records with the same id and rank */
  size_t at, size;
};

struct record_list {
  char *bytes;
  struct record_place *places; /* sorted by id, rank and number; at: offset in bytes */
  size_t count;
};

/* Reads all records of a module into the list and sorts them. Returns 0, or -1 with an error; the
 * list then has the records before the corrupt data. */
int record_list_read(struct record_list *list, darshan_log *log, int module,
                     struct darshan_error *error);
void record_list_free(struct record_list *list);

/* Compares the places of two records in the order of the list. Returns, like strcmp, a negative
 * number, 0 for the same record, or a positive number. */
int record_list_order(const struct record_place *left, const struct record_place *right);

#endif
