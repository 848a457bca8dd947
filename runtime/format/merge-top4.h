/* Merges lists of the four most common values, for merge.c. */
#ifndef DARSHAN_MERGE_TOP4_H
#define DARSHAN_MERGE_TOP4_H

#include "merge.h"

/* Merge every list of `from` into that of `into`: darshan_top4_reduce for ranks of a job,
 * darshan_top4_total for totals. */
void darshan_top4_reduce(const struct darshan_merge_plan *plan, void *into, const void *from);
void darshan_top4_total(const struct darshan_merge_plan *plan, void *into, const void *from);

#endif
