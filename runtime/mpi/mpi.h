/* Queries the MPI library of this process, whatever its implementation is. The queries are valid
 * only while mpi_state.phase is MPI_RUNNING. Handles must come from a successful call of the
 * application: an invalid handle ends the job. */
#ifndef DARSHAN_MPI_H
#define DARSHAN_MPI_H

#include "../job/runtime.h"
#include "library.h"

enum { MPI_UNDEFINED_NUMBER = -32766 }; /* the value of MPI_UNDEFINED in every library */

/* Determines the flavour, and fills in constants and functions. Called once, after the library's
 * initialization. caller: an address in the object that initialized it. */
void mpi_meet_library(const void *caller);

#define mpi_constant(name) (mpi_library.constants.name)
#define mpi_function(name) (mpi_library.functions.name)

/* Returns 1 if the library may be queried, otherwise 0. */
static inline int mpi_can_ask(void) {
  return mpi_state.phase == MPI_RUNNING && mpi_library.flavour != MPI_UNKNOWN;
}

static inline int mpi_same(mpi_handle a, mpi_handle b) {
  return ((a ^ b) & mpi_library.handle_mask) == 0;
}

/* Returns element i of an application's array of handles (requests, types). */
static inline mpi_handle mpi_handle_at(const void *array, int i) {
  if (mpi_library.flavour == MPI_MPICH) return ((const uint32_t *)array)[i];
  return ((const mpi_handle *)array)[i];
}

static inline int mpi_is_info_null(mpi_handle info) {
  return mpi_same(info, mpi_constant(INFO_NULL));
}

/* Returns the number of processes in comm; 1 if unknown. */
int mpi_comm_size(mpi_handle comm);

/* Returns the bytes of data in one element of a datatype; -1 if MPI cannot be queried now or
 * reports an error. */
int64_t mpi_type_bytes(mpi_handle type);

/* Returns 1 for a predefined datatype; 0 for a datatype that the application made, or if MPI cannot
 * be queried. */
int mpi_type_is_named(mpi_handle type);

/* A buffer for a status of any library. */
struct mpi_status_room {
  uint64_t words[8];
};

/* Returns the application's status; if the application passed STATUS_IGNORE, returns room, which
 * the call can use instead. */
static inline void *mpi_status_or(void *status, struct mpi_status_room *room) {
  if ((uintptr_t)status != mpi_constant(STATUS_IGNORE)) return status;
  room->words[0] = 0;
  return room;
}

/* Returns the bytes that an operation transferred, taken from its status; -1 if MPI cannot be
 * queried now or reports an error. */
int64_t mpi_status_bytes(const void *status);

#endif
