/* Measures the processor time that a loop of calls takes. */
#ifndef BENCH_PROCESSOR_TIME_H
#define BENCH_PROCESSOR_TIME_H

#include <time.h>

/* Returns the processor time of this thread in nanoseconds, without waiting times. */
static inline double processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Calls `call` `calls` times, in `loops` loops of equal length. Returns nanoseconds of processor
 * time per call in the fastest loop, because other programs' effects on the caches disturb only
 * some loops. calls must be at least loops. */
static inline double fastest_loop(void (*call)(void), long calls, int loops) {
  double fastest = 0;
  for (int loop = 0; loop < loops; loop++) {
    double start = processor_ns();
    for (long i = 0; i < calls / loops; i++)
      call();
    double taken = (processor_ns() - start) / (double)(calls / loops);
    if (loop == 0 || taken < fastest) fastest = taken;
  }
  return fastest;
}

#endif
