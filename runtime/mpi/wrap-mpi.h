/* Makes wrappers from rows of MPI functions.
 *
 *   MPI_CALL(name, (parameters), (arguments), find, event)
 *     the columns are those of CALL in intercept/wrap.h; every function returns an int, r
 *   MPI_NOTE(name, (parameters), (arguments), before, after)
 *     likewise, without reading the clock
 *
 * A row exports MPI_x and PMPI_x, because Fortran libraries, HDF5 and other tools call either. Each
 * wrapper calls the next function of its own name, so that tools before and after the runtime see
 * every call.  The wrapper that is called first counts the call; the wrapper that is called within
 * it does not.
 *
 * Define MPI_LEVEL as a value of enum mpi_level before including rows.  Calls within a call of the
 * same level are not counted (an MPI library may call itself), calls of another level are. */
#ifndef DARSHAN_WRAP_MPI_H
#define DARSHAN_WRAP_MPI_H

#include <errno.h>

#include "../intercept/loader/conditional-export.h"
#include "../intercept/wrap.h"
#include "../job/mpi-state.h"
#include "../job/runtime.h"
#include "library.h"

#define MPI_REAL(symbol)                                                                           \
  ({                                                                                               \
    static void *slot_;                                                                            \
    void *found_ = __atomic_load_n(&slot_, __ATOMIC_RELAXED);                                      \
    if (UNLIKELY(!found_)) found_ = mpi_resolve(&slot_, #symbol, __builtin_return_address(0));     \
    found_;                                                                                        \
  })

#define MPI_CALL_FORM(symbol, params, args, find, event)                                           \
  SHOWN(symbol, params)                                                                            \
  int wrap_##symbol params {                                                                       \
    int(*real) params = (int(*) params)MPI_REAL(symbol);                                           \
    if (UNLIKELY(mpi_is_inside(MPI_LEVEL, __builtin_frame_address(0)))) FORWARD;                   \
    find;                                                                                          \
    {                                                                                              \
      mpi_enter(MPI_LEVEL, __builtin_frame_address(0));                                            \
      UNUSED uint64_t t1 = ticks_now();                                                            \
      int r = real args;                                                                           \
      UNUSED uint64_t t2 = ticks_after(t1);                                                        \
      int saved_errno = errno;                                                                     \
      event;                                                                                       \
      mpi_leave(MPI_LEVEL);                                                                        \
      errno = saved_errno;                                                                         \
      return r;                                                                                    \
    }                                                                                              \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    return real args;                                                                              \
  }

#define MPI_NOTE_FORM(symbol, params, args, before, after)                                         \
  SHOWN(symbol, params)                                                                            \
  int wrap_##symbol params {                                                                       \
    int(*real) params = (int(*) params)MPI_REAL(symbol);                                           \
    if (UNLIKELY(mpi_is_inside(MPI_LEVEL, __builtin_frame_address(0)))) FORWARD;                   \
    {                                                                                              \
      mpi_enter(MPI_LEVEL, __builtin_frame_address(0));                                            \
      before;                                                                                      \
      int r = real args;                                                                           \
      int saved_errno = errno;                                                                     \
      after;                                                                                       \
      mpi_leave(MPI_LEVEL);                                                                        \
      errno = saved_errno;                                                                         \
      return r;                                                                                    \
    }                                                                                              \
  forward:                                                                                         \
    UNUSED;                                                                                        \
    return real args;                                                                              \
  }

#define MPI_CALL(name, params, args, find, event)                                                  \
  MPI_CALL_FORM(name, params, args, find, event)                                                   \
  MPI_CALL_FORM(P##name, params, args, find, event)
#define MPI_NOTE(name, params, args, before, after)                                                \
  MPI_NOTE_FORM(name, params, args, before, after)                                                 \
  MPI_NOTE_FORM(P##name, params, args, before, after)

#endif
