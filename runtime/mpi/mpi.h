/* The MPI library of this process, whichever it is: what its handles mean, and
 * the questions that we ask it.  All of this is valid between the start and the
 * end of MPI mode (mpi_state.phase is MPI_RUNNING).  Ask only after a call
 * of the application that succeeded: an invalid handle ends the job. */
#ifndef DARSHAN_MPI_H
#define DARSHAN_MPI_H

#include "../job/runtime.h"
#include "library.h"

enum { MPI_UNDEFINED_NUMBER = -32766 }; /* MPI_UNDEFINED, in every library */

/* Chooses the flavour, fills constants and functions.  Called once, when the
 * library has been initialised.  caller: an address in the object that called. */
void mpi_meet_library(const void *caller);

#define mpi_constant(name) (mpi_library.constants.name)
#define mpi_function(name) (mpi_library.functions.name)

/* May anything be asked? */
static inline int mpi_can_ask(void) {
  return mpi_state.phase == MPI_RUNNING && mpi_library.flavour != MPI_UNKNOWN;
}

static inline int mpi_same(mpi_handle a, mpi_handle b) {
  return ((a ^ b) & mpi_library.handle_mask) == 0;
}

/* Element i of an application's array of handles (requests, types). */
static inline mpi_handle mpi_handle_at(const void *array, int i) {
  if (mpi_library.flavour == MPI_MPICH) return ((const uint32_t *)array)[i];
  return ((const mpi_handle *)array)[i];
}

static inline int mpi_is_info_null(mpi_handle info) {
  return mpi_same(info, mpi_constant(INFO_NULL));
}

/* Number of processes; 1 if the library does not tell. */
int mpi_comm_size(mpi_handle comm);

/* Bytes of data in one element of a datatype, -1 if the library does not tell. */
int64_t mpi_type_bytes(mpi_handle type);

/* Is this a datatype of the library, not made by the application? */
int mpi_type_is_named(mpi_handle type);

/* Room for a status of any library. */
struct mpi_status_room {
  uint64_t words[8];
};

/* The application's status, or, if it wants none, the room given. */
static inline void *mpi_status_or(void *status, struct mpi_status_room *room) {
  if ((uintptr_t)status != mpi_constant(STATUS_IGNORE)) return status;
  room->words[0] = 0;
  return room;
}

/* Bytes that an operation moved, by its status; -1 if the library does not tell. */
int64_t mpi_status_bytes(const void *status);

#endif
