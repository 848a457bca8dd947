/* Declares sums of operations that are not in the record of a file, such as stat calls: POSIX_EXT
 * counts them for names and folders. The report adds their time to POSIX (doc/page-one.md). */
#ifndef DARSHAN_FRONT_UNATTRIBUTED_H
#define DARSHAN_FRONT_UNATTRIBUTED_H

#include "../../parser/id-table.h"
#include "darshan-read.h"

struct beside {
  double metadata, syncs;  /* seconds that no POSIX record has, over all processes */
  double locks;            /* seconds in calls that lock files, which are not I/O */
  double syncing, listing; /* seconds in all syncs, and in reading the entries of folders */
  /* Bytes of mapped files: all; those that were touched, or populated on request; those that the
   * runtime did not measure. */
  double mapped, touched, unmeasured;
};

/* Sums the POSIX_EXT records of a log. files: ids that have a POSIX record in this log, which
 * already contains these times. touched: receives the touched bytes of each mapped file (int64_t,
 * by id). Returns 0, or -1 with an error if the module is corrupt; *sum is then unchanged. */
int beside_of(struct beside *sum, darshan_log *log, const struct id_table *files,
              struct id_table *touched, struct darshan_error *error);

/* Page faults of all processes, and those of them that waited for storage (major), from USAGE. */
struct beside_faults {
  double all, major;
};
/* Adds the numbers of page faults in a log's USAGE records to *sum. */
void beside_faults_of(struct beside_faults *sum, darshan_log *log);

#endif
