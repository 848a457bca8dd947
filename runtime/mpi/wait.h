/* Waiting for other ranks without keeping them from running. */
#ifndef DARSHAN_MPI_WAIT_H
#define DARSHAN_MPI_WAIT_H

#include "library.h"

/* Waits for a request of our own.  0, or -1. */
int mpi_wait_for(mpi_handle *request);

#endif
