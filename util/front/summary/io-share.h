/* The I/O share of the run time, over some logs. There are two sums, with the same names in every
 * report (doc/page-one.md): time in file I/O, and time in I/O of all layers. */
#ifndef DARSHAN_FRONT_IO_SHARE_H
#define DARSHAN_FRONT_IO_SHARE_H

#include "../../parser/id-table.h"
#include "darshan-read.h"
#include "merge/merge.h"

struct shares {
  double files; /* seconds in calls of the lowest layers on files, over all processes */
  double all;   /* that and time in the libraries above: HDF5, MPI-IO, PnetCDF */
  double work;  /* seconds in which the processes could work; 0: not known */
  double pipes; /* seconds in calls on named pipes, which are in no other sum here */
};

/* Sums of one log. */
struct log_shares {
  double files, tallest, own, layer, in_pipes;
  struct id_table pipes; /* ids of named pipes */
};

/* Finds the named pipes: waiting in one is waiting for a program, not for a file. Returns 0, or -1
 * with an error. */
int log_shares_begin(struct log_shares *sums, darshan_log *log, struct darshan_error *error);
/* Adds a record of a module. `elsewhere`: a standard stream that is not a file, whose time does not
 * count. */
void log_shares_record(struct log_shares *sums, const struct darshan_merge_plan *plan,
                       const void *record, int elsewhere);
void log_shares_end_module(struct log_shares *sums, int is_bottom);
/* Adds the time of operations on names, which no file record has. */
void log_shares_beside(struct log_shares *sums, double seconds);
/* Adds seconds in the libraries themselves, from LAYERS. */
void log_shares_own(struct log_shares *sums, double seconds);
/* Adds the log's sums to `all` and frees the memory of log_shares_begin. */
void log_shares_end(struct log_shares *sums, darshan_log *log, struct shares *all);

#endif
