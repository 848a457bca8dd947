/* The form that names of records are kept in. */
#ifndef DARSHAN_PATHS_H
#define DARSHAN_PATHS_H

#include <stdbool.h>
#include <stddef.h>

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
