/* The wrappers of calls.def: MPI's communication. */
#include "../../mpi/library.h"
#include "../../mpi/wrap-mpi.h"
#include "layers.h"

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

#include "calls.def"
