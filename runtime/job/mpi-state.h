/* The MPI job of this process, and the nesting of MPI calls in a thread.  mpi/library.h describes
 * its MPI library. */
#ifndef DARSHAN_MPI_STATE_H
#define DARSHAN_MPI_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "../intercept/guard.h"

/* Whether the process is a rank: not before MPI_Init (or a session) has begun recording of the job,
 * nor after its end. */
enum mpi_phase { MPI_NOT_YET, MPI_RUNNING, MPI_FINISHED };

struct mpi_state {
  enum mpi_phase phase;
  int rank, size;      /* in MPI_COMM_WORLD; 0 and 1 if not known */
  int has_comm;        /* 1: all ranks that record have a communicator for the runtime */
  int without_threads; /* 1: some rank does not record the threads of traced transfers */
  int by_sessions;     /* 1: recording began with an MPI session, not with MPI_Init */
  int left_out;        /* 1: the job is not in the sample */
  int meets; /* 1: all ranks run a barrier before collectives, because each rank's settings ask for
                it */
  int aborted;        /* 1: this process called MPI_Abort */
  int64_t jobid;      /* the same on all ranks */
  int64_t leader_pid; /* pid of rank 0 */
  int64_t start_ns;   /* wall clock of the first rank that started, in ns since the epoch */
  char version[128];  /* of the MPI library, one line */
  char host[128];     /* name of the node of this process */
};

extern struct mpi_state mpi_state __attribute__((visibility("hidden")));

/* Returns 1 if this process may call MPI_Init: the loader has loaded an MPI library, the executable
 * contains one, or a launcher's variables tell the number of processes (Python loads its MPI
 * library later). Otherwise, and in a launcher, returns 0. */
int mpi_may_come(void);

/* Clears the state of MPI in a forked child, which is not a rank. */
void mpi_forked(void);

/* Levels of MPI calls: calls that begin or end MPI, calls of MPI-IO, and communication. A library
 * may call itself, and only the outermost call of a level counts. */
enum mpi_level { MPI_LEVEL_LIFE, MPI_LEVEL_IO, MPI_LEVEL_COMMUNICATION, MPI_LEVELS };

/* darshan_inside.mpi has the frame address of the outermost call of each level.  An error handler
 * may abandon that call by longjmp; the address then is not above the frame of the next call. */
_Static_assert((int)MPI_LEVELS == (int)INSIDE_MPI_LEVELS, "one word each");

static inline int mpi_is_inside(enum mpi_level level, const char *frame) {
  const char *outer = darshan_inside.mpi[level];
  return UNLIKELY(outer != NULL) && frame < outer;
}

static inline void mpi_enter(enum mpi_level level, const char *frame) {
  darshan_inside.mpi[level] = frame;
}
static inline void mpi_leave(enum mpi_level level) {
  darshan_inside.mpi[level] = NULL;
}

#endif
