/* The I/O share of the run time, over several logs. It has two forms, with the same names in every
 * report (doc/page-one.md): the share of file I/O, and the share of I/O in all layers. */
#ifndef DARSHAN_FRONT_IO_SHARE_H
#define DARSHAN_FRONT_IO_SHARE_H

#include "../../parser/id-table.h"
#include "darshan-read.h"
#include "merge/merge.h"

struct shares {
  double files; /* seconds in calls of the lowest layers on files, over all processes */
  double all;   /* `files`, and time in the libraries above: HDF5, MPI-IO, PnetCDF */
  double work;  /* sum of the run times of the processes, in seconds; 0: unknown */
  double pipes; /* seconds in calls on named pipes, which no other sum here contains */
};

/* Sums of one log, from which the shares of I/O in the run time are computed; all in seconds. */
struct log_shares {
  double files;          /* in calls of the lowest layers, as in struct shares */
  double tallest;        /* of the module with the most time */
  double own;            /* in the libraries themselves */
  double layer;          /* of the module that is being added */
  double in_pipes;       /* in calls on named pipes */
  struct id_table pipes; /* ids of named pipes */
};

/* Begins the sums of a log: adds the time of transfers to and from a GPU, and finds the named
 * pipes, because waiting in a pipe is waiting for a program, not for a file. Returns 0, or -1 with
 * an error; log_shares_end is needed in both cases. */
int log_shares_begin(struct log_shares *sums, darshan_log *log, struct darshan_error *error);
/* Adds the time of a record. plan: of its module. elsewhere: 1 if the record is of a standard
 * stream that is not a file, so that its time does not count. */
void log_shares_record(struct log_shares *sums, const struct darshan_merge_plan *plan,
                       const void *record, int elsewhere);
/* Ends a module after its last record: adds its time to `files` if is_bottom is 1, which means a
 * module of the lowest layers (picture_is_bottom), and keeps it in `tallest` if it is the longest.
 */
void log_shares_end_module(struct log_shares *sums, int is_bottom);
/* Adds the seconds of operations on names, such as stat, which are not in the records of files. */
void log_shares_beside(struct log_shares *sums, double seconds);
/* Adds the seconds in the libraries themselves, from LAYERS. */
void log_shares_own(struct log_shares *sums, double seconds);
/* Adds the sums of the log to `all`, and frees the memory of log_shares_begin. */
void log_shares_end(struct log_shares *sums, darshan_log *log, struct shares *all);

#endif
