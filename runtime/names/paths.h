/* The form that paths have in names of records. */
#ifndef DARSHAN_PATHS_H
#define DARSHAN_PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns false if the path contains neither "//" nor "/.", true if it may. Checks many bytes at a
 * time, because it runs at every open of a file, and very few paths need cleaning. */
bool darshan_may_need_cleaning(const char *path, size_t length);

/* Writes the name under which a path is recorded: absolute, without // and /./ (.., links and the
 * end do not change). cwd is an absolute path of cwd_length bytes without NUL, used for relative
 * paths only. Returns the length without the NUL, or 0 if out is too small. The name begins with a
 * slash; other names, like "<STDIN>", are the runtime's own. */
size_t darshan_clean_path(char *out, size_t room, const char *cwd, size_t cwd_length,
                          const char *path);

/* Returns the path without the prefix "driver:" that MPI-IO allows; it points into `path`. A prefix
 * of one letter is part of the path. */
const char *darshan_without_driver(const char *path);

#endif
