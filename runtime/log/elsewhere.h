/* A part for which the run's folder has no room: it lies elsewhere, and in the folder is a
 * link to it, under its name. */
#ifndef DARSHAN_LOG_ELSEWHERE_H
#define DARSHAN_LOG_ELSEWHERE_H

#include <stdint.h>

#include "../job/logname.h"
#include "compose.h"

/* Where logs go, in memory, or in the end as a log of its own.  0 or -1. */
int log_save_elsewhere(const struct log_draft *draft, const struct darshan_log_identity *identity,
                       uint64_t begun_ns, char *final);
/* What was written last, under that path, goes, and the link to it. */
int log_take_back(const char *path);

#endif
