/* A finished log becomes a file. */
#ifndef DARSHAN_SAVE_H
#define DARSHAN_SAVE_H

#include "../job/config.h"
#include "compose.h"
#include "logname.h"

/* Writes to a temporary name, renames when everything is written; never
 * replaces a file.  final receives the path (DARSHAN_PATH_ROOM bytes).
 * begun_ns: CLOCK_MONOTONIC when shutting down began.  0 or -1. */
int log_save(const struct log_draft *draft, const struct darshan_config *config,
             const struct darshan_log_identity *identity, uint64_t begun_ns, char *final);

#endif
