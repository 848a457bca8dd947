/* Names of records: which are not wanted. */
#ifndef DARSHAN_NAMES_H
#define DARSHAN_NAMES_H

#include "config.h"

/* True if records of this name are not wanted in this module: system folders, an MPI
 * library's own files, NAME_EXCLUDE, NAME_INCLUDE.  name is as darshan_clean_path (names/paths.h)
 * leaves it, with a NUL after length bytes.  Some tens of nanoseconds, unless regular expressions
 * are set, which take a lock of libc: not for signal handlers that interrupt this very call. */
bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length);

/* Compiles the regular expressions again: for the child after fork, where
 * another thread of the parent may have held libc's lock in one of them. */
void darshan_names_after_fork(struct darshan_config *config);

#endif
