/* Is a process of a run still there? */
#ifndef DARSHAN_MERGE_ALIVE_H
#define DARSHAN_MERGE_ALIVE_H

#include "processes.h"

enum alive { ALIVE_UNKNOWN = -1, ALIVE_NO, ALIVE_YES };

/* The process that had this pid there at that time.  UNKNOWN: it is of another host or
 * pid namespace. */
enum alive alive_process(const struct run_place *place, int32_t pid, int64_t start_ns);
/* Of one of which nothing can be known: a week without a change of its file is its end. */
enum alive alive_by_age(const char *path);

#endif
