/* Nesting of MPI calls in this thread.  A library may call itself, and only the outermost call of a
 * level counts. */
#ifndef DARSHAN_MPI_FRAMES_H
#define DARSHAN_MPI_FRAMES_H

#include <stddef.h>

#include "../intercept/nesting.h"

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
