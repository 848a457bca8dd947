/* Declares sums over the HDF5 datasets of logs, with the POSIX calls that calls on them caused
 * (module LAYERS). */
#ifndef DARSHAN_FRONT_DATASETS_H
#define DARSHAN_FRONT_DATASETS_H

#include "../../parser/id-table.h"
#include "darshan-read.h"

enum { DATASETS_SHOWN = 3 };

struct dataset {
  char *name;        /* NULL: the log has none */
  int64_t asked;     /* bytes that its read and write calls requested */
  int64_t read;      /* bytes of `asked` that were read */
  int64_t size;      /* bytes of all values; 0: unknown */
  int64_t opening;   /* bytes that POSIX wrote while the dataset was opened or created */
  int64_t moved;     /* bytes that POSIX and STDIO read and wrote during its calls */
  double time;       /* seconds in its calls, including lower layers, over all processes */
  double mpi_time;   /* seconds of `time` in MPI-IO itself and in MPI communication */
  double lower_time; /* seconds of `time` in POSIX or STDIO */
};

struct datasets {
  struct id_table table; /* record id -> struct dataset */
};

void datasets_init(struct datasets *datasets);
void datasets_free(struct datasets *datasets);

/* Adds the datasets of a log that has data of LAYERS. Adds to *own the seconds spent in the
 * libraries themselves (HDF5, MPI-IO, MPI communication), without the POSIX and STDIO calls that
 * they made. Returns 0, or -1 with an error if the log is corrupt; records before the corrupt data
 * are then added. */
int datasets_add(struct datasets *datasets, double *own, darshan_log *log,
                 struct darshan_error *error);

/* Stores the datasets that took most time, the longest first, and returns their number. The
 * pointers are valid until the next call of datasets_add. */
size_t datasets_slowest(const struct datasets *datasets,
                        const struct dataset *slowest[DATASETS_SHOWN]);

#endif
