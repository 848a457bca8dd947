/* The abstract communicator (log/ranks/rank.h), implemented by MPI. */
#ifndef DARSHAN_COMM_MPI_H
#define DARSHAN_COMM_MPI_H

#include "../log/ranks/rank.h"
#include "library.h"

/* Fills in comm for the runtime's own MPI communicator.  Returns 0, or -1 if there is none. */
int comm_mpi_open(struct rank_comm *comm);

/* Waits for a request of the runtime and yields the processor to other ranks.  Returns 0, or -1 if
 * MPI_Test fails. */
int mpi_wait_for(mpi_handle *request);

#endif
