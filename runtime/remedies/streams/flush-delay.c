/* The remedy flush-delay: a flush of a stream that only writes a regular file is carried out at
 * most once in 100 ms. The bytes of omitted flushes are written when the buffer is full, when the
 * stream is closed, and in the cases that held-streams.h lists. */
#include <stdio.h>
#include <time.h>

#include "../../intercept/real.h"
#include "../remedies.h"
#include "held-streams.h"

enum { DELAY = 100000000 /* nanoseconds */ };

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns 1 if a flush of this stream may be omitted, because the last one that was carried out was
 * less than 100 ms ago. Otherwise stores the time of the flush and returns 0: the caller must
 * flush. Returns 0 also for NULL (all streams) and for streams that the remedy does not serve. */
static int waits(FILE *file) {
  struct held *held = held_stream(file);
  if (!held || !held->only_writes) return 0;
  uint64_t t = now();
  if (t - held->flushed < DELAY) return 1;
  held->flushed = t;
  return 0;
}

#define FLUSHES(F) F(fflush) F(fflush_unlocked) F(_IO_fflush)
#define FLUSH(name)                                                                                \
  static int (*below_##name)(FILE *);                                                              \
  static int delayed_##name(FILE *file) {                                                          \
    return waits(file) ? 0 : below_##name(file);                                                   \
  }
FLUSHES(FLUSH)
#undef FLUSH

#define ROW(name) {#name, (void *)delayed_##name, (void **)&below_##name},
const struct replacement flush_replacements[] = {FLUSHES(ROW){NULL, NULL, NULL}};
