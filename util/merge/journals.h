/* The journals that a job left, one per rank; or what was made of those of one node. */
#ifndef DARSHAN_MERGE_JOURNALS_H
#define DARSHAN_MERGE_JOURNALS_H

#include "darshan-read.h"
#include "run/map.h"

struct journal_file {
  char *path;
  int64_t rank;
  int is_part;        /* the file is a log of several ranks (node-log.h), each of which has a row */
  int has_no_end;     /* somebody in it was killed */
  uint64_t in_common; /* the number that all ranks of the job have; 0: not known */
  struct darshan_job job;
  double last;  /* seconds from start: the last thing that any record knows */
  int has_talk; /* it counted MPI's communication: seconds in it, and of waiting */
  double talk[2];
};

struct journals {             /* zeroed before its first use */
  struct journal_file *files; /* by rank */
  const char *job;            /* what is of others is left out; NULL: there are none */
  struct map rows;            /* of the file that is being read: by rank */
  int count;
  int64_t nprocs;
};

/* Adds a journal, or all in a folder: journals, and logs of one node.  -1: one line was said. */
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
