/* The wrappers of waits.def. */
#include "../../mpi/wrap-mpi.h"
#include "../apmpi/apmpi-module.h"
#include "mpiio.h"

/* Begins a wait or test of n requests. Returns 1, or 0 if the call only forwards. Inline,
 * because the deepest call path has no stack for another frame. */
static inline ALWAYS_INLINE int begin(struct mpiio_wait *wait, const void *requests, int n,
                                      const char *frame) {
  wait->first = 0;
  wait->counted = apmpi_counts(frame);
  wait->ours = mpiio_waits() && mpiio_wait_begin(wait, requests, n);
  return wait->ours || wait->counted;
}

#define NOBODY_WAITS(requests, n)                                                                  \
  LIKELY(!__atomic_load_n(&apmpi_state.watched, __ATOMIC_RELAXED)) ||                              \
      !begin(&wait, requests, n, __builtin_frame_address(0))
#define REQUEST(request)                                                                           \
  struct mpiio_wait wait;                                                                          \
  if (NOBODY_WAITS(request, 1)) FORWARD
#define WAITING(requests, n, status)                                                               \
  struct mpiio_wait wait;                                                                          \
  struct mpi_status_room room;                                                                     \
  if (NOBODY_WAITS(requests, n)) FORWARD;                                                          \
  if (wait.first) status = mpi_status_or(status, &room)
/* Supplies statuses only if all fit into the array. */
#define WAITING_MANY(requests, n, statuses)                                                        \
  struct mpiio_wait wait;                                                                          \
  struct mpi_status_room rooms[MPIIO_ROOMS / 2];                                                   \
  if (NOBODY_WAITS(requests, n)) FORWARD;                                                          \
  if (wait.first && n <= MPIIO_ROOMS) statuses = mpi_status_or(statuses, rooms)
#define ENDED(counter, of_files)                                                                   \
  if (wait.ours) of_files;                                                                         \
  if (wait.counted && r == 0 && APMPI_##counter != APMPI_NONE)                                     \
  apmpi_count(APMPI_##counter, 0, t1, t2)
#define STATUSES ((uintptr_t)statuses == mpi_constant(STATUS_IGNORE) ? NULL : statuses)

#define MPI_LEVEL MPI_LEVEL_COMMUNICATION
#include "waits.def"
