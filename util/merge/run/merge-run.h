/* From the folder of a run to its log. */
#ifndef DARSHAN_MERGE_MERGE_RUN_H
#define DARSHAN_MERGE_MERGE_RUN_H

#include "one-log.h"

enum run_result { RUN_LOGGED = 0, RUN_FAILED = 1, RUN_NOTHING = 3 };

/* NOTHING: there is nothing to be merged, or somebody else does it. */
enum run_result merge_run(const struct run_options *options);

#endif
