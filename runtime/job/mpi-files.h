/* Which files are an MPI library's own. */
#ifndef DARSHAN_MPI_FILES_H
#define DARSHAN_MPI_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* True if a row of mpi-files.def fits a component of this absolute path, or several that
 * follow one another.  Nothing of the file itself is looked at. */
bool darshan_is_mpi_file(const char *path);

/* The same question in two halves, for many files of one folder.  False if no row begins with a
 * component of these first bytes of a path, which end with a slash; ... */
bool darshan_may_hold_mpi_files(const char *path, size_t length);
/* ... then only one that fits the last component, which this is, can fit the path. */
bool darshan_is_mpi_component(const char *name);

#endif
