/* Which files are an MPI library's own. */
#ifndef DARSHAN_MPI_FILES_H
#define DARSHAN_MPI_FILES_H

#include <stdbool.h>

/* True if a row of mpi-files.def fits a component of this absolute path, or several that
 * follow one another.  Nothing of the file itself is looked at. */
bool darshan_is_mpi_file(const char *path);

#endif
