/* Declares the journals of a job, one per rank, and the node logs that were made from journals.
 * (A node log is a log that darshan-merge made from the journals of one node; see below.) */
#ifndef DARSHAN_MERGE_JOURNALS_H
#define DARSHAN_MERGE_JOURNALS_H

#include "content.h"
#include "darshan-read.h"
#include "run/records/bytes.h"
#include "run/records/part.h"

struct journal_file { /* one rank, and the file that has its records */
  char *path;
  int64_t rank;
  int is_part;        /* 1: the file is a node log (below), and each of its ranks has an entry */
  int has_no_end;     /* 1: a process in the file was killed */
  uint64_t in_common; /* number that all ranks of the job share; 0: unknown */
  struct darshan_job job; /* job record of the file */
  double last;    /* latest timestamp of the rank's records, seconds after the start; 0: none */
  int has_talk;   /* 1: the rank has an APMPI record, of its MPI communication */
  double talk[2]; /* from this record: seconds in MPI calls, and seconds of waiting in them */
};

struct journals {             /* zeroed before its first use */
  struct journal_file *files; /* one entry per rank; sorted by rank after journals_sort */
  const char *job;            /* name of the only job to read; NULL: all files must be of one job */
  struct map rows;            /* rank -> index in files, for the file that is being read */
  int count;                  /* number of entries */
  int64_t nprocs;             /* number of ranks of the job; set by journals_sort */
};

/* Adds a file, or all journals and node logs of a folder. Ignores files that are not of
 * journals->job. Returns 0, or -1 after a message. A folder without journals and node logs is an
 * error, unless journals->job is set. */
int journals_add(struct journals *journals, const char *path);
/* Sorts the journals by rank and sets journals->nprocs. Returns 0. Returns -1 after a message if
 * there are no journals, if they belong to several jobs, if two have the same rank, or if a rank is
 * not below nprocs. */
int journals_sort(struct journals *journals);
/* Writes the ranks without journal, as "0,3-5"; "" if every rank has one, or if out of memory. A
 * list that does not fit ends in ",...". Returns the number of these ranks. room: size of `out` in
 * bytes. */
int64_t journals_missing(const struct journals *journals, char *out, size_t room);
/* Writes the ranks below nprocs that are not among `count` ascending ranks, as "0,3-5"; "" if no
 * rank is missing. A list that does not fit ends in ",...". Returns the number of missing ranks.
 * room: size of `out` in bytes. */
int64_t ranks_missing(const int64_t *ranks, size_t count, int64_t nprocs, char *out, size_t room);
void journals_free(struct journals *journals);

/* merge_say prints a message like printf on standard error, with the command's name before and a
 * newline after it. It prints nothing while merge_quiet is nonzero. */
extern int merge_quiet;
void merge_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints that the log could not be written to this file or folder, and errno's text of the last
 * failure if the runtime stored one (log_error). */
void merge_say_unwritten(const char *place);

/* A node log is made from the journals of one node while other ranks of the job run on other nodes.
 * It has separate records for each rank, so that the records of one rank can be read again. */

/* The metadata key that marks a node log. Its value is the number that all ranks of the job
 * share. */
#define NODE_LOG_KEY "part_of_job"

struct node_log {    /* zeroed before its first use; one log is in memory */
  char *path;        /* of the log in memory; NULL: none */
  struct part part;  /* its records, of all ranks */
  darshan_log *open; /* open log, for its record names */
  struct map named;  /* ids whose names the current rank has */
};

/* Returns the number that all ranks of the job share, from the log's metadata; 0 if the log is not
 * a node log. */
uint64_t node_log_job(const struct darshan_info *info);
/* Copies the records of one rank of the node log at `path` into *content, which the caller frees
 * with journal_content_free, also after an error. The log stays in memory until another log is
 * read. Returns 0, or -1 with an error. */
int node_log_rank(struct node_log *log, const char *path, int64_t rank,
                  struct journal_content *content, struct darshan_error *error);
void node_log_free(struct node_log *log);

#endif
