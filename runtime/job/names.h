/* Names of records: which are not wanted. */
#ifndef DARSHAN_NAMES_H
#define DARSHAN_NAMES_H

#include "../names/folder-hash.h"
#include "config.h"

/* True if records of this name are not wanted in this module: system folders, an MPI
 * library's own files, NAME_EXCLUDE, NAME_INCLUDE.  name is as darshan_clean_path (names/paths.h)
 * leaves it, with a NUL after length bytes.  Some tens of nanoseconds, and with patterns some for
 * each byte of the name; it takes no lock and no memory. */
bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length);
/* The same where its folder is known. */
bool darshan_name_excluded_in(const struct darshan_config *config, int module_id, const char *name,
                              size_t length, struct name_folder folder);

#endif
