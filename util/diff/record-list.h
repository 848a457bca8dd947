/* All records of a module, in an order that another log's have, too. */
#ifndef DARSHAN_DIFF_RECORD_LIST_H
#define DARSHAN_DIFF_RECORD_LIST_H

#include "darshan-read.h"

struct record_place {
  uint64_t id;
  int64_t rank;
  size_t number; /* in the log: a rank may have several records of one id */
  size_t at, size;
};

struct record_list {
  char *bytes;
  struct record_place *places; /* by id, rank, number; at is a place in bytes */
  size_t count;
};

/* 0, or -1 and an error; what was read before it is in the list. */
int record_list_read(struct record_list *list, darshan_log *log, int module,
                     struct darshan_error *error);
void record_list_free(struct record_list *list);

/* Which record comes first: below 0, 0 if they are the same, above 0. */
int record_list_order(const struct record_place *left, const struct record_place *right);

#endif
