/* MPI initialization and finalization: decides when recording starts, which ranks belong to the
 * job, and when the log is written. doc/mpi.md describes this for users. */
#ifndef DARSHAN_MPI_INIT_FINALIZE_H
#define DARSHAN_MPI_INIT_FINALIZE_H

#include "../log/ranks/rank.h"
#include "library.h"

/* Called after MPI_Init or MPI_Init_thread succeeded: starts recording of this rank. caller: an
 * address in the object that called MPI_Init. */
void mpi_initialised(const void *caller);
/* Called before MPI_Finalize, while ranks can still communicate: ends recording and writes the
 * log. */
void mpi_finalising(void);
/* Called before MPI_Abort: ends recording of this rank. If the job has several ranks, its journal
 * remains in place of a log. Does not wait for other ranks, because some may already have ended. */
void mpi_aborting(void);

/* mpi_session_initialised is called after a session was opened, mpi_session_finalising before one
 * is closed. Unless MPI_Init was called before, recording starts with the first session that is
 * opened, and ends when the last open session is closed. */
void mpi_session_initialised(const mpi_handle *session, const void *caller);
void mpi_session_finalising(const mpi_handle *session);

/* Fills in comm, which sends messages by the runtime's own MPI communicator; in a job of one
 * process, it sends nothing. Returns 0, or -1 if there is no such communicator. */
int comm_mpi_open(struct rank_comm *comm);

/* Waits until a request of the runtime is complete. During the wait, yields the processor to other
 * ranks. Returns 0, or -1 if MPI_Test fails. */
int mpi_wait_for(mpi_handle *request);

#endif
