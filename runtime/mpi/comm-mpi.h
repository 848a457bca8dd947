/* The abstract communicator, carried by MPI. */
#ifndef DARSHAN_COMM_MPI_H
#define DARSHAN_COMM_MPI_H

#include "../log/ranks/comm.h"

/* On our own communicator; 0, or -1 if there is none. */
int comm_mpi_open(struct rank_comm *comm);

#endif
