/* Call nesting: the library calls in progress on the stack that this thread runs on.
 *
 * These variables belong to a stack, not to a thread: a timer's handler may switch to another stack
 * in the middle of a call, and continue the first one later, perhaps on another thread. An
 * involuntary switch begins in a signal handler. So while a handler of the application runs,
 * handlers.c stores the thread's values on the interrupted stack, and then gives them to the thread
 * that continues that stack. */
#ifndef DARSHAN_NESTING_H
#define DARSHAN_NESTING_H

#include "guard.h"

enum { INSIDE_MPI_LEVELS = 3, INSIDE_DAOS_FAMILIES = 2 };

struct layer_thread;

/* Frame address of the outermost call of each kind, NULL if there is none. */
struct inside {
  const char *mpi[INSIDE_MPI_LEVELS];
  const char *daos[INSIDE_DAOS_FAMILIES];
  const char *pnetcdf;
  const char *stdio;
  struct layer_thread *layers; /* the frames of layer attribution */
  uintptr_t flags;             /* of an interrupted stack: GUARD_INSIDE, GUARD_MUTED */
};
extern __thread struct inside darshan_inside GUARD_TLS;

#endif
