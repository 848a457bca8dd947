/* Wrappers of the MPI functions that wait for requests, made from waits.def. */
#include "../../mpi/wrap-mpi.h"
#include "../apmpi/apmpi-module.h"
#include "mpiio.h"

/* Begins a wait or test of n requests, an array of MPI's handles. waits: 1 for a wait, 0 for a
 * test. frame: address of the wrapper's stack frame. Fills in *wait and returns 1, or returns 0 if
 * the wrapper must only forward. Inline, because the deepest call path has no stack for another
 * frame. */
static inline ALWAYS_INLINE int begin(struct mpiio_wait *wait, const void *requests, int n,
                                      int waits, const char *frame) {
  wait->first = 0;
  wait->counted = apmpi_counts(frame);
  wait->ours = mpiio_waits() && mpiio_wait_begin(wait, requests, n);
  wait->waits = waits && !wait->ours && apmpi_counts_as_waiting(frame);
  return wait->ours || wait->counted || wait->waits;
}

#define NOBODY_WAITS(requests, n, waits)                                                           \
  LIKELY(!apmpi_is_watched(APMPI_WATCH_CALLS | (waits ? APMPI_WATCH_WAITS : 0))) ||                \
      !begin(&wait, requests, n, waits, __builtin_frame_address(0))
#define REQUEST(request)                                                                           \
  struct mpiio_wait wait;                                                                          \
  if (NOBODY_WAITS(request, 1, 0)) FORWARD
#define ONE(requests, n, status, waits)                                                            \
  struct mpiio_wait wait;                                                                          \
  struct mpi_status_room room;                                                                     \
  if (NOBODY_WAITS(requests, n, waits)) FORWARD;                                                   \
  if (wait.first) status = mpi_status_or(status, &room)
/* Supplies statuses only if the array `rooms` has one for each request. */
#define MANY(requests, n, statuses, waits)                                                         \
  struct mpiio_wait wait;                                                                          \
  struct mpi_status_room rooms[MPIIO_ROOMS / 2];                                                   \
  if (NOBODY_WAITS(requests, n, waits)) FORWARD;                                                   \
  if (wait.first && n <= MPIIO_ROOMS) statuses = mpi_status_or(statuses, rooms)
#define WAITING(requests, n, status) ONE(requests, n, status, 1)
#define WAITING_MANY(requests, n, statuses) MANY(requests, n, statuses, 1)
#define TESTING(requests, n, status) ONE(requests, n, status, 0)
#define TESTING_MANY(requests, n, statuses) MANY(requests, n, statuses, 0)
#define ENDED(counter, of_files)                                                                   \
  if (wait.ours) of_files;                                                                         \
  if (wait.waits) mpiwait_count(MPIWAIT_SOME, t1, t2);                                             \
  if (wait.counted && r == 0 && APMPI_##counter != APMPI_NONE)                                     \
  apmpi_count(APMPI_##counter, 0, t1, t2)
#define STATUSES ((uintptr_t)statuses == mpi_constant(STATUS_IGNORE) ? NULL : statuses)

#define MPI_LEVEL MPI_LEVEL_COMMUNICATION
#include "waits.def"
