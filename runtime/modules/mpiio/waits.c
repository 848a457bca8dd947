/* The wrappers of waits.def. */
#include "../../mpi/wrap-mpi.h"
#include "mpiio.h"

#define REQUEST(request)                                                                           \
  struct mpiio_wait wait;                                                                          \
  if (LIKELY(!mpiio_waits()) || !mpiio_wait_begin(&wait, request, 1)) FORWARD
#define WAITING(requests, n, status)                                                               \
  struct mpiio_wait wait;                                                                          \
  struct mpi_status_room room;                                                                     \
  if (LIKELY(!mpiio_waits()) || !mpiio_wait_begin(&wait, requests, n)) FORWARD;                    \
  if (wait.first) status = mpi_status_or(status, &room)
/* Statuses of our own only if all fit into little room. */
#define WAITING_MANY(requests, n, statuses)                                                        \
  struct mpiio_wait wait;                                                                          \
  struct mpi_status_room rooms[MPIIO_ROOMS / 2];                                                   \
  if (LIKELY(!mpiio_waits()) || !mpiio_wait_begin(&wait, requests, n)) FORWARD;                    \
  if (wait.first && n <= MPIIO_ROOMS) statuses = mpi_status_or(statuses, rooms)
#define STATUSES ((uintptr_t)statuses == mpi_constant(STATUS_IGNORE) ? NULL : statuses)

#define MPI_LEVEL MPI_LEVEL_COMMUNICATION
#include "waits.def"
