/* HDF5 datasets, and what their calls became in POSIX: LAYERS of some logs. */
#ifndef DARSHAN_FRONT_DATASETS_H
#define DARSHAN_FRONT_DATASETS_H

#include "../parser/id-table.h"
#include "darshan-read.h"

enum { DATASETS_SHOWN = 3 };

struct dataset {
  char *name;        /* NULL: the log has none */
  int64_t asked;     /* bytes that its reads and writes asked for */
  int64_t moved;     /* bytes read and written below, by POSIX and through streams */
  double time;       /* seconds in its calls, over all processes, layers below included */
  double mpi_time;   /* seconds of that in MPI-IO itself and in communication */
  double lower_time; /* seconds of that in POSIX or streams */
};

struct datasets {
  struct id_table table; /* record id -> struct dataset */
};

void datasets_init(struct datasets *datasets);
void datasets_free(struct datasets *datasets);

/* Adds the datasets of a log that has LAYERS, and to *own the seconds that libraries took
 * themselves (HDF5, MPI-IO, communication); -1: error filled, what came before the damage is
 * added. */
int datasets_add(struct datasets *datasets, double *own, darshan_log *log,
                 struct darshan_error *error);

/* Those that took most time, the first first; returns how many.  Valid until
 * the next call of datasets_add. */
size_t datasets_slowest(const struct datasets *datasets,
                        const struct dataset *slowest[DATASETS_SHOWN]);

#endif
