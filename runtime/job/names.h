/* Names of records: which are not wanted, and the form that they are kept in. */
#ifndef DARSHAN_NAMES_H
#define DARSHAN_NAMES_H

#include "config.h"

/* True if records of this name are not wanted in this module: system folders, a launcher's,
 * NAME_EXCLUDE, NAME_INCLUDE.  name is as darshan_clean_path leaves it,
 * with a NUL after length bytes.  A few nanoseconds unless regular expressions are set, which
 * take a lock of libc: not for signal handlers that interrupt this very call. */
bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length);

/* Compiles the regular expressions again: for the child after fork, where
 * another thread of the parent may have held libc's lock in one of them. */
void darshan_names_after_fork(struct darshan_config *config);

/* False: neither "//" nor "/." is in the path.  True: one of them may be.  Eight
 * bytes at a time, because every open of a file asks and hardly any path has one. */
bool darshan_may_need_cleaning(const char *path, size_t length);

/* Writes the name under which a path is recorded: absolute, without // and
 * /./ (.., links and the end stay as they are).  cwd: absolute, without NUL
 * cwd_length bytes, used for relative paths only.  Returns the length without
 * the NUL that is added, 0 if it does not fit into room.  What it writes begins with
 * a slash, so a name that does not is one of ours, as "<STDIN>" is. */
size_t darshan_clean_path(char *out, size_t room, const char *cwd, size_t cwd_length,
                          const char *path);

/* The path in "driver:path", as MPI-IO takes it; one letter is a folder. */
const char *darshan_without_driver(const char *path);

#endif
