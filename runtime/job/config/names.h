/* Decides which names get no records. */
#ifndef DARSHAN_NAMES_H
#define DARSHAN_NAMES_H

#include "../../names/folder-hash.h"
#include "config.h"

/* Returns true if this module must not record this name: because of system folders, internal files
 * of MPI libraries, NAME_EXCLUDE and NAME_INCLUDE.  name is the result of darshan_clean_path
 * (names/paths.h), with a NUL after length bytes.  Takes some tens of nanoseconds, with patterns
 * some more per byte of the name; takes no lock and allocates nothing. */
bool darshan_name_excluded(const struct darshan_config *config, int module_id, const char *name,
                           size_t length);
/* Like darshan_name_excluded, if the caller knows the name's folder. */
bool darshan_name_excluded_in(const struct darshan_config *config, int module_id, const char *name,
                              size_t length, struct name_folder folder);

#endif
