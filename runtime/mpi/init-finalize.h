/* MPI initialization and finalization: decides when recording starts, which ranks belong to the
 * job, and when the log is written. doc/mpi.md describes this for users. */
#ifndef DARSHAN_MPI_INIT_FINALIZE_H
#define DARSHAN_MPI_INIT_FINALIZE_H

#include "../log/ranks/rank.h"
#include "library.h"

/* Starts recording of this rank.  Called after MPI_Init or MPI_Init_thread succeeded.  caller:
 * an address in the object that called it. */
void mpi_initialised(const void *caller);
/* Ends recording and writes the log.  Called before MPI_Finalize, while ranks can still
 * communicate. */
void mpi_finalising(void);
/* Ends recording of this rank; its journal stays in place of a log if the job has several ranks.
 * Called before MPI_Abort.  Does not wait for other ranks, because some may already have ended. */
void mpi_aborting(void);

/* Called after a session was opened, and before one is closed.  Recording starts with the first
 * session that is opened, and ends with the last one that is closed. */
void mpi_session_initialised(const mpi_handle *session, const void *caller);
void mpi_session_finalising(const mpi_handle *session);

/* Fills in comm for the runtime's own MPI communicator.  Returns 0, or -1 if there is none. */
int comm_mpi_open(struct rank_comm *comm);

/* Waits for a request of the runtime and yields the processor to other ranks.  Returns 0, or -1 if
 * MPI_Test fails. */
int mpi_wait_for(mpi_handle *request);

#endif
