/* The abstract communicator, carried by MPI. */
#ifndef DARSHAN_COMM_MPI_H
#define DARSHAN_COMM_MPI_H

#include "../log/ranks/rank.h"
#include "library.h"

/* On our own communicator; 0, or -1 if there is none. */
int comm_mpi_open(struct rank_comm *comm);

/* Waits for a request of our own, without keeping other ranks from running.  0, or -1. */
int mpi_wait_for(mpi_handle *request);

#endif
