/* The journals of a job, one per rank, or the node logs that were made from them. */
#ifndef DARSHAN_MERGE_JOURNALS_H
#define DARSHAN_MERGE_JOURNALS_H

#include "content.h"
#include "darshan-read.h"
#include "run/records/bytes.h"
#include "run/records/part.h"

struct journal_file {
  char *path;
  int64_t rank;
  int is_part;        /* the file is a node log (below); each of its ranks has a row */
  int has_no_end;     /* a process in it was killed */
  uint64_t in_common; /* the number that all ranks of the job share; 0: not known */
  struct darshan_job job;
  double last;  /* seconds from start: the latest timestamp of any record */
  int has_talk; /* it has MPI communication records */
  double talk[2];
};

struct journals {             /* zeroed before its first use */
  struct journal_file *files; /* sorted by rank */
  const char *job;            /* skips files of other jobs; NULL: expects one job */
  struct map rows;            /* of the file that is being read, by rank */
  int count;
  int64_t nprocs;
};

/* Adds a file, or all journals and node logs of a folder. Returns 0, or -1 after a message. */
int journals_add(struct journals *journals, const char *path);
/* Sorts by rank. Returns 0, or -1 after a message if they do not belong to one job. */
int journals_sort(struct journals *journals);
/* Writes the ranks that have no journal, as "0,3-5", or "". Returns how many there are. */
int64_t journals_missing(const struct journals *journals, char *out, size_t room);
/* Writes the ranks below nprocs that are not among `count` ascending ranks, as "0,3-5", or "".
 * Returns how many there are. */
int64_t ranks_missing(const int64_t *ranks, size_t count, int64_t nprocs, char *out, size_t room);
void journals_free(struct journals *journals);

/* Prints a line on stderr, unless merge_quiet is set. */
extern int merge_quiet;
void merge_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints that the log could not be written to this file or folder, and the reason if it is known.
 */
void merge_say_unwritten(const char *place);

/* A node log: made from the journals of one node while other ranks of the job ran on other nodes.
 * It keeps one record per rank, so that the records of each rank can be read again. */

/* The metadata key of a node log; its value is the number that all ranks of the job share. */
#define NODE_LOG_KEY "part_of_job"

struct node_log { /* zeroed before its first use; one log is in memory */
  char *path;
  struct part part;
  darshan_log *open; /* for record names */
  struct map named;
};

/* Returns the job's number, or 0 if the log is not a node log. */
uint64_t node_log_job(const struct darshan_info *info);
/* Reads the records of one rank. Keeps the last log in memory. Returns 0, or -1 with an error. */
int node_log_rank(struct node_log *log, const char *path, int64_t rank,
                  struct journal_content *content, struct darshan_error *error);
void node_log_free(struct node_log *log);

#endif
