/* State of the MPI library of this process. The runtime includes no header of MPI: a handle is a
 * value that fits into a register. */
#ifndef DARSHAN_MPI_LIBRARY_H
#define DARSHAN_MPI_LIBRARY_H

#include <stdint.h>

/* A handle of MPI: a pointer in Open MPI; in MPICH an int, whose upper half is undefined. */
typedef uintptr_t mpi_handle;

enum mpi_flavour {
  MPI_NONE, /* not initialized, or this process has no MPI library */
  MPI_OPENMPI,
  MPI_MPICH, /* also Intel MPI, MVAPICH and Cray MPICH, which have the same ABI */
  MPI_STANDARD_ABI,
  MPI_UNKNOWN /* handles cannot be compared: calls are counted, the library is not queried */
};

struct mpi_constants {
#define OBJECT(name, openmpi, mpich, standard) mpi_handle name;
#define NUMBER(name, openmpi, mpich, standard) uintptr_t name;
#include "constants.def"
#undef OBJECT
#undef NUMBER
};

struct mpi_functions {
#define FUNCTION(name, params) int(*name) params;
#include "functions.def"
#undef FUNCTION
};

struct mpi_library {
  enum mpi_flavour flavour;
  uintptr_t handle_mask;          /* bits of a handle that are defined */
  struct mpi_constants constants; /* constants of this flavour */
  struct mpi_functions functions;
  void *handle; /* loader handle of the object with the functions, if it is not in global scope */
  mpi_handle comm; /* communicator of all ranks that record; valid while mpi_state.has_comm is 1 */
  int sessions;    /* number of open sessions */
};

extern struct mpi_library mpi_library __attribute__((visibility("hidden")));

/* Functions of resolve.c, which find functions and objects of the library. The library may be
 * loaded outside the scope of RTLD_NEXT (by Python extensions). */

/* Returns the real function of this name, or NULL. This is the executable's own function if the
 * library is linked into it; otherwise the next function after the runtime's (of another tool or of
 * the library); otherwise a function of a loaded library outside the global scope. There the
 * library in which an earlier function was found is searched first, then the libraries of the
 * calling object. caller: an address in the object that called the wrapper. */
void *mpi_find_function(const char *name, const void *caller);

/* Returns the address of MPI's data object of this name; NULL if there is none. It is the object
 * that the application uses, which may be a copy of the library's object. */
void *mpi_find_object(const char *name);

/* Fills a wrapper's slot and returns the real function. If no library defines it, leaves the slot
 * empty and returns a function that fails. */
void *mpi_resolve(void **slot, const char *name, const void *caller)
    __attribute__((visibility("hidden")));

#endif
