/* Makes the log of a run from its folder. */
#ifndef DARSHAN_MERGE_MERGE_RUN_H
#define DARSHAN_MERGE_MERGE_RUN_H

#include "one-log.h"

enum run_result { RUN_LOGGED = 0, RUN_FAILED = 1, RUN_NOTHING = 3 };

/* Makes the log of the run directory that the options name. Returns RUN_NOTHING if there is nothing
 * to merge, or if another process merges. */
enum run_result merge_run(const struct run_options *options);

#endif
