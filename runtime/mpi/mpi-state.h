/* What the runtime knows of the MPI library of this process and of the job.
 * There is no header of MPI here: a handle is whatever fits into a register. */
#ifndef DARSHAN_MPI_STATE_H
#define DARSHAN_MPI_STATE_H

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

enum mpi_phase { MPI_NOT_YET, MPI_RUNNING, MPI_FINISHED };

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

struct mpi_state {
  enum mpi_flavour flavour;
  enum mpi_phase phase;
  uintptr_t handle_mask;          /* bits of a handle that mean something */
  struct mpi_constants constants; /* of this flavour */
  struct mpi_functions functions;
  void *library;   /* where the functions are, if not in global scope */
  int rank, size;  /* in the world; 0 and 1 without one */
  mpi_handle comm; /* of our own, all ranks that record; valid while has_comm */
  int has_comm;
  int sessions;       /* open now */
  int by_sessions;    /* recording began with a session, not with MPI_Init */
  int left_out;       /* the job is not in the sample */
  int aborted;        /* this process called MPI_Abort */
  int64_t jobid;      /* of the job, the same on all ranks */
  int64_t leader_pid; /* of rank 0 */
  int64_t start_ns;   /* wall clock of the first rank that started */
  char version[128];  /* of the library, one line */
  char host[128];     /* of this process */
};

extern struct mpi_state mpi_state __attribute__((visibility("hidden")));

#endif
