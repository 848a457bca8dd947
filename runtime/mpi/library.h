/* What is known of the MPI library of this process.  There is no header of MPI here: a
 * handle is whatever fits into a register. */
#ifndef DARSHAN_MPI_LIBRARY_H
#define DARSHAN_MPI_LIBRARY_H

#include <stdint.h>

/* A pointer in Open MPI; in MPICH an int, whose upper half is undefined. */
typedef uintptr_t mpi_handle;

enum mpi_flavour {
  MPI_NONE, /* not initialised, or there is no MPI in this process */
  MPI_OPENMPI,
  MPI_MPICH, /* and Intel MPI, MVAPICH, Cray MPICH: one ABI */
  MPI_STANDARD_ABI,
  MPI_UNKNOWN /* handles cannot be told apart: calls are counted, nothing is asked */
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
  uintptr_t handle_mask;          /* bits of a handle that mean something */
  struct mpi_constants constants; /* of this flavour */
  struct mpi_functions functions;
  void *handle;    /* where the functions are, if not in global scope */
  mpi_handle comm; /* of our own, all ranks that record; valid while there is one */
  int sessions;    /* open now */
};

extern struct mpi_library mpi_library __attribute__((visibility("hidden")));

#endif
