/* The journals that a job left, one per rank. */
#ifndef DARSHAN_MERGE_JOURNALS_H
#define DARSHAN_MERGE_JOURNALS_H

#include "darshan-read.h"

struct journal_file {
  char *path;
  int64_t rank;
  struct darshan_job job;
  double last;  /* seconds from start: the last thing that any record knows */
  int has_talk; /* it counted MPI's communication: seconds in it, and of waiting */
  double talk[2];
};

struct journals {
  struct journal_file *files; /* by rank */
  int count;
  int64_t nprocs;
};

/* Adds a journal, or all journals in a folder.  -1: one line was said. */
int journals_add(struct journals *journals, const char *path);
/* Puts them in order.  -1: they are not of one job, and one line was said. */
int journals_sort(struct journals *journals);
/* The ranks that have none, as "0,3-5"; empty if there are no such.  Returns
 * how many. */
int64_t journals_missing(const struct journals *journals, char *out, size_t room);
/* Those of nprocs that are not among count ascending ones; the same text and result. */
int64_t ranks_missing(const int64_t *ranks, size_t count, int64_t nprocs, char *out, size_t room);
void journals_free(struct journals *journals);

/* A line on stderr, unless merge_quiet. */
extern int merge_quiet;
void merge_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
