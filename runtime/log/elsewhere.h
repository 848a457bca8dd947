/* Saves a part that cannot be written to the run directory in another folder. The run directory
 * gets a symbolic link to it under the part's name. */
#ifndef DARSHAN_LOG_ELSEWHERE_H
#define DARSHAN_LOG_ELSEWHERE_H

#include <stdint.h>

#include "../job/text/logname.h"
#include "compose.h"

/* Tries the folder of the logs, then a folder in memory, then a log of the process alone. Returns 0
 * or -1. */
int log_save_elsewhere(const struct log_draft *draft, const struct darshan_log_identity *identity,
                       uint64_t begun_ns, char *final);
/* Removes the log at path, which this process wrote last, and the link to it. Returns 0, or -errno
 * if the log could not be removed. */
int log_take_back(const char *path);

#endif
