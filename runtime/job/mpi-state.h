/* What the runtime knows of the MPI job that this process belongs to, if it does; what
 * its library is like, mpi/library.h knows. */
#ifndef DARSHAN_MPI_STATE_H
#define DARSHAN_MPI_STATE_H

#include <stdint.h>

enum mpi_phase { MPI_NOT_YET, MPI_RUNNING, MPI_FINISHED };

struct mpi_state {
  enum mpi_phase phase;
  int rank, size;      /* in the world; 0 and 1 without one */
  int has_comm;        /* there are messages between all ranks that record */
  int without_threads; /* not all ranks record the threads of traced transfers */
  int by_sessions;     /* recording began with a session, not with MPI_Init */
  int left_out;        /* the job is not in the sample */
  int meets;           /* all ranks wait for one another before collectives, as all were told to */
  int aborted;         /* this process called MPI_Abort */
  int64_t jobid;       /* of the job, the same on all ranks */
  int64_t leader_pid;  /* of rank 0 */
  int64_t start_ns;    /* wall clock of the first rank that started */
  char version[128];   /* of the library, one line */
  char host[128];      /* of this process */
};

extern struct mpi_state mpi_state __attribute__((visibility("hidden")));

/* May this process call MPI_Init?  A library came with it, or lies in it, or a
 * launcher started it as one of several: Python loads its library later. */
int mpi_may_come(void);

/* In a forked child, which is no rank. */
void mpi_forked(void);

#endif
