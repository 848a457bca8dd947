/* HDF5 datasets of some logs, and the POSIX calls that calls on them caused (module LAYERS). */
#ifndef DARSHAN_FRONT_DATASETS_H
#define DARSHAN_FRONT_DATASETS_H

#include "../../parser/id-table.h"
#include "darshan-read.h"

enum { DATASETS_SHOWN = 3 };

struct dataset {
  char *name;        /* NULL: the log has none */
  int64_t asked;     /* bytes that its reads and writes requested */
  int64_t read;      /* bytes of that for reads */
  int64_t size;      /* bytes of all values; 0: unknown */
  int64_t opening;   /* bytes that POSIX wrote in opens and creates of the dataset */
  int64_t moved;     /* bytes read and written below, by POSIX and STDIO */
  double time;       /* seconds in its calls, over all processes, including lower layers */
  double mpi_time;   /* seconds of that in MPI-IO itself and in communication */
  double lower_time; /* seconds of that in POSIX or STDIO */
};

struct datasets {
  struct id_table table; /* record id -> struct dataset */
};

void datasets_init(struct datasets *datasets);
void datasets_free(struct datasets *datasets);

/* Adds the datasets of a log with LAYERS. Adds to *own the seconds spent in the libraries
 * themselves (HDF5, MPI-IO, communication). Returns 0, or -1 with an error if the log is corrupt;
 * the records before that place are added. */
int datasets_add(struct datasets *datasets, double *own, darshan_log *log,
                 struct darshan_error *error);

/* Stores the datasets with most time, the longest first, and returns how many it stored. Valid
 * until the next call of datasets_add. */
size_t datasets_slowest(const struct datasets *datasets,
                        const struct dataset *slowest[DATASETS_SHOWN]);

#endif
