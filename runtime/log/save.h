/* A finished log becomes a file. */
#ifndef DARSHAN_SAVE_H
#define DARSHAN_SAVE_H

#include "../job/config.h"
#include "../job/logname.h"
#include "compose.h"

/* The steps of it, for a log that several processes write.  log_create: an open
 * descriptor of a new file at a temporary path, negative: none.  log_finish closes it and, if
 * result is 0, gives it its name, which final receives; else the file goes.  0 or -1. */
int log_create(const struct darshan_config *config, const char *partial);
int log_finish(int fd, int result, const struct darshan_config *config,
               const struct darshan_log_identity *identity, const char *partial, uint64_t begun_ns,
               char *final);

/* Writes to a temporary name, renames when everything is written; never
 * replaces a file.  final receives the path (DARSHAN_PATH_ROOM bytes).
 * begun_ns: CLOCK_MONOTONIC when shutting down began.  0 or -1. */
int log_save(const struct log_draft *draft, const struct darshan_config *config,
             const struct darshan_log_identity *identity, uint64_t begun_ns, char *final);

#endif
