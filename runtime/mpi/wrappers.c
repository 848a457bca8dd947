/* The wrappers of calls.def. */
#include "../modules/layers/layers.h"
#include "life.h"
#include "wrap-mpi.h"

/* Libraries read their settings and share segments in files; neither is what a
 * user wants to see among the files of the program. */
#define MUTE darshan_guard |= GUARD_MUTED
#define INITIALISED                                                                                \
  if (r == 0) mpi_initialised(__builtin_return_address(0));                                        \
  darshan_guard &= ~(uintptr_t)GUARD_MUTED
#define SESSION_INITIALISED(session)                                                               \
  if (r == 0) mpi_session_initialised(session, __builtin_return_address(0));                       \
  darshan_guard &= ~(uintptr_t)GUARD_MUTED

/* Time inside a call of an upper layer that goes into communication; elsewhere
 * it is none of our business. */
#define MPI_TIMED_FORM(symbol, params, args)                                                       \
  EXPORT int wrap_##symbol params __asm__(SYMBOL(symbol));                                         \
  int wrap_##symbol params {                                                                       \
    int(*real) params = (int(*) params)MPI_REAL(symbol);                                           \
    if (LIKELY(!layers_inside())) return real args;                                                \
    if (mpi_is_inside(MPI_LEVEL_COMMUNICATION, __builtin_frame_address(0))) return real args;      \
    struct layer_between between;                                                                  \
    mpi_enter(MPI_LEVEL_COMMUNICATION, __builtin_frame_address(0));                                \
    layer_communication_begin(&between);                                                           \
    uint64_t t1 = ticks_now();                                                                     \
    int r = real args;                                                                             \
    layer_communication_end(&between, t1, ticks_after(t1));                                        \
    mpi_leave(MPI_LEVEL_COMMUNICATION);                                                            \
    return r;                                                                                      \
  }
#define MPI_TIMED(name, params, args)                                                              \
  MPI_TIMED_FORM(name, params, args)                                                               \
  MPI_TIMED_FORM(P##name, params, args)

#define MPI_LEVEL MPI_LEVEL_LIFE
#include "calls.def"
