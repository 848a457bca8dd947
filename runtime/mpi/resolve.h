/* Finds functions and objects of the MPI library of this process, which may be loaded outside the
 * scope of RTLD_NEXT (Python extensions). */
#ifndef DARSHAN_MPI_RESOLVE_H
#define DARSHAN_MPI_RESOLVE_H

/* Returns the next function of this name after the runtime's: that of another tool or of the
 * library.  caller: an address in the object that called the wrapper.  Returns NULL if there is
 * none. */
void *mpi_find_function(const char *name, const void *caller);

/* Returns the data object that the application uses, which may be a copy of the library's. */
void *mpi_find_object(const char *name);

/* Fills a wrapper's slot and returns the function.  If no library defines it, returns a function
 * that fails and leaves the slot empty. */
void *mpi_resolve(void **slot, const char *name, const void *caller)
    __attribute__((visibility("hidden")));

#endif
