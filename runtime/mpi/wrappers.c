/* The wrappers of calls.def. */
#include "life.h"
#include "wrap-mpi.h"

__thread const char *darshan_mpi_frames[MPI_LEVELS];

#define INITIALISED                                                                                \
  if (r == 0) mpi_initialised(__builtin_return_address(0))
#define SESSION_INITIALISED(session)                                                               \
  if (r == 0) mpi_session_initialised(session, __builtin_return_address(0))

#define MPI_LEVEL MPI_LEVEL_LIFE
#include "calls.def"
