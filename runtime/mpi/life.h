/* Begin and end of MPI in a process: when recording starts, who belongs to the
 * job, when the log is written.  doc/mpi.md says what users see of it. */
#ifndef DARSHAN_MPI_LIFE_H
#define DARSHAN_MPI_LIFE_H

#include "library.h"

/* After MPI_Init or MPI_Init_thread succeeded.  caller: an address in the
 * object that called it. */
void mpi_initialised(const void *caller);
/* Before MPI_Finalize: the last moment for messages between ranks. */
void mpi_finalising(void);
/* Before MPI_Abort: others may be gone already, so nobody is waited for. */
void mpi_aborting(void);

/* Sessions: recording starts with the first that is opened, and ends with the
 * last that is closed. */
void mpi_session_initialised(const mpi_handle *session, const void *caller);
void mpi_session_finalising(const mpi_handle *session);

#endif
