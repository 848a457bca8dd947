/* Waiting for other ranks without keeping them from running. */
#ifndef DARSHAN_MPI_WAIT_H
#define DARSHAN_MPI_WAIT_H

#include <stdint.h>

#include "mpi-state.h"

/* Called between two questions whether something has come; since: when the
 * waiting began, in ns of CLOCK_MONOTONIC. */
void mpi_let_others_run(uint64_t since);

/* Waits for a request of our own.  0, or -1. */
int mpi_wait_for(mpi_handle *request);

#endif
