/* How much of the time of some logs was I/O.  Two sums, which every report has under the same
 * names (doc/page-one.md): time in file I/O, and time in I/O of all layers. */
#ifndef DARSHAN_FRONT_SHARES_H
#define DARSHAN_FRONT_SHARES_H

#include "../parser/id-table.h"
#include "darshan-read.h"
#include "merge.h"

struct shares {
  double files; /* seconds in calls of the lowest layers on files, over all processes */
  double all;   /* the same and in the libraries above: HDF5, MPI-IO, PnetCDF */
  double work;  /* seconds in which the processes could work; 0: not known */
};

/* What is added up of one log. */
struct log_shares {
  double files, tallest, own, layer;
  struct id_table pipes; /* ids of named pipes */
};

/* Reads which files are named pipes: who waits in one waits for a program, not for a file. */
int log_shares_begin(struct log_shares *sums, darshan_log *log, struct darshan_error *error);
/* A module's records follow, of which those of standard streams that are no files (`elsewhere`)
 * are no time in I/O. */
void log_shares_record(struct log_shares *sums, const struct darshan_merge_plan *plan,
                       const void *record, int elsewhere);
void log_shares_end_module(struct log_shares *sums, int is_bottom);
/* Time of operations on names, which no record of a file has. */
void log_shares_beside(struct log_shares *sums, double seconds);
/* Seconds in libraries themselves, of LAYERS. */
void log_shares_own(struct log_shares *sums, double seconds);
/* Adds the log's shares to those of others, and frees what begin took. */
void log_shares_end(struct log_shares *sums, darshan_log *log, struct shares *all);

#endif
