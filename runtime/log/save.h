/* Writes a finished log to a file. */
#ifndef DARSHAN_SAVE_H
#define DARSHAN_SAVE_H

#include "../job/config/config.h"
#include "../job/text/logname.h"
#include "compose.h"

/* The errno of the first failed step of saving a log since the caller set this variable to 0, for
 * the message; 0 if no step failed or the reason is unknown. */
extern int log_error __attribute__((visibility("hidden")));
/* Stores the errno in log_error if result is negative (-errno) and log_error is 0. Returns the
 * result. */
int log_step(int result);

/* The steps of log_save, for a log that several processes write. log_create makes a file at a
 * temporary path and returns its descriptor, or a negative value. log_finish closes the file. If
 * result is 0, it renames the file and stores the new path in final; otherwise it removes the file.
 * It returns 0, or -1 if there is no log. */
int log_create(const struct darshan_config *config, const char *partial);
int log_finish(int fd, int result, const struct darshan_config *config,
               const struct darshan_log_identity *identity, const char *partial, uint64_t begun_ns,
               char *final);

/* Writes under a temporary name and renames the complete file; never replaces a file. final
 * receives the path (DARSHAN_PATH_ROOM bytes). begun_ns is the CLOCK_MONOTONIC time when
 * finalization began. Returns 0 or -1. */
int log_save(const struct log_draft *draft, const struct darshan_config *config,
             const struct darshan_log_identity *identity, uint64_t begun_ns, char *final);

#endif
