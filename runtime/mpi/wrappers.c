/* Wrappers of the MPI functions that begin and end a job, made from calls.def. */
#include "init-finalize.h"
#include "wrap-mpi.h"

/* MUTE excludes the calls of this thread until INITIALISED: MPI libraries read settings and share
 * segments in files, which are not the application's I/O. */
#define MUTE darshan_guard |= GUARD_MUTED
#define INITIALISED                                                                                \
  if (r == 0) mpi_initialised(__builtin_return_address(0));                                        \
  darshan_guard &= ~(uintptr_t)GUARD_MUTED
#define SESSION_INITIALISED(session)                                                               \
  if (r == 0) mpi_session_initialised(session, __builtin_return_address(0));                       \
  darshan_guard &= ~(uintptr_t)GUARD_MUTED

#define MPI_LEVEL MPI_LEVEL_LIFE
#include "calls.def"
