/* Time as the records want it: seconds since the start of the process.
 *
 * A wrapper reads a tick counter (the TSC on x86-64, the virtual counter on
 * AArch64) before and after the call; ticks become seconds by a straight line
 * through two readings of CLOCK_MONOTONIC.  The line is refitted whenever the
 * distance from its first point has grown by an eighth (at most a second), so
 * a conversion is never further off than about one clock reading.  Where the
 * kernel does not trust the counter, ticks are nanoseconds of CLOCK_MONOTONIC. */
#ifndef DARSHAN_CLOCK_H
#define DARSHAN_CLOCK_H

#include <stdint.h>
#include <time.h>

struct clock_line {
  uint64_t ticks; /* at this reading ... */
  double seconds; /* ... this much time had passed */
  double seconds_per_tick;
};

struct darshan_clock {
  uint64_t refit_at; /* in ticks */
  unsigned current;  /* the line in use; the others are old or being written */
  struct clock_line lines[4];
  uint64_t first_ticks;
  uint64_t first_ns;
  int64_t start_sec; /* wall clock at the start */
  int64_t start_nsec;
  int counter_trusted;
  int refitting;
};

uint64_t clock_ns(clockid_t id);
void clock_start(struct darshan_clock *clock);
/* Fits the line anew; called when refit_at has passed. */
void clock_refit(struct darshan_clock *clock);

static inline uint64_t clock_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return clock_ns(CLOCK_MONOTONIC);
#endif
}

static inline uint64_t clock_ticks(const struct darshan_clock *clock) {
  if (__builtin_expect(clock->counter_trusted, 1)) return clock_counter();
  return clock_ns(CLOCK_MONOTONIC);
}

static inline double clock_seconds(const struct darshan_clock *clock, uint64_t ticks) {
  const struct clock_line *line =
      &clock->lines[__atomic_load_n(&clock->current, __ATOMIC_ACQUIRE) & 3];
  /* Atomic, because a reader that slept for three refits may see one written. */
  double seconds, seconds_per_tick;
  uint64_t origin = __atomic_load_n(&line->ticks, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds, &seconds, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds_per_tick, &seconds_per_tick, __ATOMIC_RELAXED);
  return seconds + (double)(int64_t)(ticks - origin) * seconds_per_tick;
}

/* When the line says that this many seconds will have passed. */
static inline uint64_t clock_ticks_at(const struct darshan_clock *clock, double seconds) {
  const struct clock_line *line =
      &clock->lines[__atomic_load_n(&clock->current, __ATOMIC_ACQUIRE) & 3];
  double at, seconds_per_tick;
  uint64_t origin = __atomic_load_n(&line->ticks, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds, &at, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds_per_tick, &seconds_per_tick, __ATOMIC_RELAXED);
  return origin + (uint64_t)(int64_t)((seconds - at) / seconds_per_tick);
}

#endif
