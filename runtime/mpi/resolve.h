/* Finding the functions and objects of the MPI library of this process, which
 * may have been loaded where RTLD_NEXT does not look (Python extensions). */
#ifndef DARSHAN_MPI_RESOLVE_H
#define DARSHAN_MPI_RESOLVE_H

/* The next function of this name behind ours: another tool's, or the
 * library's.  caller: an address in the object that called us.  NULL: none. */
void *mpi_find_function(const char *name, const void *caller);

/* A data object: the one that the program uses, which may be a copy. */
void *mpi_find_object(const char *name);

/* Fills a wrapper's slot; a function that no library has is replaced by one that fails. */
void *mpi_resolve(void **slot, const char *name, const void *caller)
    __attribute__((visibility("hidden")));

#endif
