/* Recognizes the internal files of MPI libraries by their paths. */
#ifndef DARSHAN_MPI_FILES_H
#define DARSHAN_MPI_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if a row of mpi-files.def matches a component of this absolute path, or several
 * consecutive ones.  The file itself is not inspected. */
bool darshan_is_mpi_file(const char *path);

/* The next two functions divide this test, for many files of a folder.  The first returns false if
 * no row can begin with a component of the folder.  path: `length` bytes that end with a slash. */
bool darshan_may_hold_mpi_files(const char *path, size_t length);
/* Returns true if a row matches the last component of a path in such a folder. */
bool darshan_is_mpi_component(const char *name);

#endif
