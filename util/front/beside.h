/* What POSIX_EXT counts of operations on names and folders, which no record of a file
 * holds: the report counts it as time of POSIX (doc/page-one.md). */
#ifndef DARSHAN_FRONT_BESIDE_H
#define DARSHAN_FRONT_BESIDE_H

#include "../parser/id-table.h"
#include "darshan-read.h"

struct beside {
  double metadata, syncs; /* seconds, over all processes */
  /* Bytes of mapped files, those of them that were touched (or mapped because the kernel was asked
   * to), and those that the runtime did not look at: all, in a log of one that never looks. */
  double mapped, touched, unmeasured;
};

/* files: ids that have a record of POSIX in this log, which has these times, too.
 * touched: gets the bytes that were touched of each mapped file (int64_t, by id); they are added.
 * 0; -1: the log is damaged there, and nothing was added to `sum`. */
int beside_of(struct beside *sum, darshan_log *log, const struct id_table *files,
              struct id_table *touched, struct darshan_error *error);

/* Page faults of all processes, and those of them that waited for storage, as USAGE has them. */
struct beside_faults {
  double all, major;
};
void beside_faults_of(struct beside_faults *sum, darshan_log *log);

#endif
