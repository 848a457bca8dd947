/* Decides which names get no record. */
#ifndef DARSHAN_NAMES_H
#define DARSHAN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "../../names/folder-hash.h"
#include "config.h"

/* Returns true if this module must not record this name: it lies in a system folder, is an internal
 * file of an MPI library or of a run directory, or matches NAME_EXCLUDE; and it does not match
 * NAME_INCLUDE. Only the patterns apply to modules whose names are not paths. name: result of
 * darshan_clean_path (names/paths.h), with a NUL after `length` bytes.  Takes some tens of
 * nanoseconds, with patterns some more per byte of the name; takes no lock and allocates nothing.
 * */
bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length);
/* Returns the same as darshan_name_excluded. Faster, because the caller passes the name's folder.
 * */
bool darshan_name_excluded_in(const struct darshan_config *config, int module_id, const char *name,
                              size_t length, struct name_folder folder);

/* mpi-files.c: recognizes the internal files of MPI libraries by their paths. */

/* Returns true if a row of mpi-files.def matches a component of this absolute path, or several
 * consecutive ones.  The file itself is not inspected. */
bool darshan_is_mpi_file(const char *path);

/* Split darshan_is_mpi_file for many files of one folder. darshan_may_hold_mpi_files returns false
 * if no row can match a path that begins in this folder, otherwise true. path: `length` bytes that
 * end with a slash. */
bool darshan_may_hold_mpi_files(const char *path, size_t length);
/* Returns true if a row matches this name, the last component of a path in a folder for which
 * darshan_may_hold_mpi_files returned true. Otherwise returns false. */
bool darshan_is_mpi_component(const char *name);

#endif
