/* Inside which calls the stack is that runs on this thread.
 *
 * These words belong to a stack, not to a thread: a timer's handler may switch to another
 * stack in the middle of a call, and go on with the first one later, perhaps on another
 * thread.  A switch that nobody asked for begins in a signal handler, so handlers.c takes
 * the words from the thread while a handler of the program's runs, keeps them on the
 * stack that was interrupted, and gives them to the thread that goes on with it. */
#ifndef DARSHAN_INSIDE_H
#define DARSHAN_INSIDE_H

#include "guard.h"

enum { INSIDE_MPI_LEVELS = 3, INSIDE_DAOS_FAMILIES = 2 };

struct layer_thread;

/* Frame addresses of the outermost call of each kind.  NULL: inside none. */
struct inside {
  const char *mpi[INSIDE_MPI_LEVELS];
  const char *daos[INSIDE_DAOS_FAMILIES];
  const char *pnetcdf;
  const char *stdio;
  struct layer_thread *layers; /* the frames of layer attribution */
  uintptr_t flags;             /* of a stack that was interrupted: GUARD_INSIDE, GUARD_MUTED */
};
extern __thread struct inside darshan_inside GUARD_TLS;

#endif
