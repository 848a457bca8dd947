#include "wait.h"

#include <time.h>

#include "../intercept/sys.h"
#include "mpi.h"

/* MPI waits by asking again and again, which takes the processor away from the
 * rank that is waited for, where there are more ranks than processors.  So we
 * ask first, and let others run in between: sooner at first, then for an eighth
 * of what the waiting took so far. */
static void let_others_run(uint64_t since) {
  enum { YIELD_NS = 50000, LONGEST_NS = 500000 };
  uint64_t waited = clock_ns(CLOCK_MONOTONIC) - since;
  if (waited < YIELD_NS) {
    SYS1(SYS_sched_yield, 0);
    return;
  }
  struct timespec pause = {.tv_nsec = (long)(waited / 8 < LONGEST_NS ? waited / 8 : LONGEST_NS)};
  SYS2(SYS_nanosleep, &pause, NULL);
}

int mpi_wait_for(mpi_handle *request) {
  struct mpi_status_room status;
  uint64_t since = clock_ns(CLOCK_MONOTONIC);
  int done = 0;
  while (!done) {
    if (mpi_function(Test)(request, &done, &status)) return -1;
    if (!done) let_others_run(since);
  }
  return 0;
}
