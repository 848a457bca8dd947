/* The time of records: seconds since the start of the process.
 *
 * A wrapper reads a tick counter (the TSC on x86-64, the virtual counter on AArch64) before and
 * after the call. Ticks become seconds by a straight line through two points in time that were read
 * on both the counter and CLOCK_MONOTONIC. The line is refitted when the distance from its first
 * point has grown by an eighth (at most a second), so a conversion is off by at most about one
 * clock reading, provided that the two readings of a point were not interrupted, which clock.c
 * checks. If the kernel does not trust the counter, ticks are nanoseconds of CLOCK_MONOTONIC. */
#ifndef DARSHAN_CLOCK_H
#define DARSHAN_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { NS_PER_SECOND = 1000000000 };

/* The counter's name in the log, and a number of ticks (CLOCK_SHORT) that takes less than a
 * millisecond, on every processor and also if a tick is a nanosecond. */
#if defined(__aarch64__)
#define CLOCK_COUNTER "cntvct"
enum { CLOCK_SHORT = 1 << 10 };
#else
#define CLOCK_COUNTER "tsc"
enum { CLOCK_SHORT = 1 << 18 };
#endif

struct clock_line {
  uint64_t ticks; /* a reading of the counter */
  double seconds; /* seconds since the start of the process at that reading */
  double seconds_per_tick;
};

/* Start and end of a call in seconds, both from the same line, because a refit in between could
 * make a short span negative. */
struct clock_span {
  double start, end;
};
static inline double clock_length(struct clock_span at) {
  return at.end - at.start;
}

/* How the time is read if the tick counter must not be read. */
enum clock_source {
  CLOCK_VDSO,  /* by the vDSO, which reads the counter or another clock */
  CLOCK_CALL,  /* by system calls, because the application has forbidden reading the counter */
  CLOCK_NOBODY /* not at all: system calls are forbidden, too, so times do not advance */
};

struct darshan_clock { /* begins with the members that every call reads */
  uint64_t refit_at;   /* in ticks */
  unsigned current;    /* index of the line in use; the other lines are old or being written */
  int counter_trusted;
  struct clock_line lines[4];
  uint64_t first_ticks;
  uint64_t first_ns;
  uint64_t reading;  /* ticks that one undisturbed reading of CLOCK_MONOTONIC takes */
  int64_t start_sec; /* wall clock at the start, seconds since the epoch */
  int64_t start_nsec;
  int refitting;
  enum clock_source source; /* used if the counter is not read */
  int had_counter;          /* value of counter_trusted before clock_settle */
  uint64_t base_ticks;      /* ticks and time at clock_settle */
  uint64_t base_ns;
};

/* clock_ns returns the time of a kernel clock in nanoseconds. clock_ticks_asked is clock_ticks for
 * a clock that must not read the counter. clock_start sets the start of the process to now. */
uint64_t clock_ns(clockid_t id);
uint64_t clock_ticks_asked(const struct darshan_clock *clock);
void clock_start(struct darshan_clock *clock);
/* clock_settle is called before the application forbids system calls (sys-gate.h), reads of the
 * counter, or both. calls: 1 if system calls stay allowed. counter: 1 if reading the counter stays
 * allowed. From then on the clock uses the best source that stays allowed. clock_unsettle restores
 * the earlier source, if the kernel has refused the filter. */
void clock_settle(struct darshan_clock *clock, int calls, int counter);
void clock_unsettle(struct darshan_clock *clock);
/* Returns the current wall clock: that of the start plus the monotonic time since. */
struct timespec clock_wall(const struct darshan_clock *clock);
/* Refits the line. Called at the first reading after refit_at ticks (runtime_refit), and by
 * clock_settle. */
void clock_refit(struct darshan_clock *clock);

static inline uint64_t clock_counter(void) {
#if defined(CLOCK_TEST_COUNTER)
  return CLOCK_TEST_COUNTER(); /* a unit test sets the time */
#elif defined(__x86_64__)
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
  return clock_ticks_asked(clock);
}

/* Returns the current ticks, but never less than `before`. The thread may have moved to a processor
 * whose counter is slightly behind. */
static inline uint64_t clock_ticks_after(const struct darshan_clock *clock, uint64_t before) {
  uint64_t now = clock_ticks(clock);
  return __builtin_expect(now > before, 1) ? now : before;
}

static inline struct clock_line clock_line(const struct darshan_clock *clock) {
  const struct clock_line *line =
      &clock->lines[__atomic_load_n(&clock->current, __ATOMIC_ACQUIRE) & 3];
  __asm__("" : "+r"(line)); /* one base register instead of three addresses: one instruction less */
  /* The loads are atomic, because a thread that slept for three refits may read a line that is
   * being written. */
  struct clock_line copy;
  copy.ticks = __atomic_load_n(&line->ticks, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds, &copy.seconds, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds_per_tick, &copy.seconds_per_tick, __ATOMIC_RELAXED);
  return copy;
}

/* Returns the seconds per tick, to convert durations. Points in time need clock_span. */
static inline double clock_tick(const struct darshan_clock *clock) {
  const struct clock_line *line =
      &clock->lines[__atomic_load_n(&clock->current, __ATOMIC_ACQUIRE) & 3];
  double tick;
  __atomic_load(&line->seconds_per_tick, &tick, __ATOMIC_RELAXED);
  return tick;
}

static inline double clock_seconds_by(struct clock_line line, uint64_t ticks) {
  return line.seconds + (double)(int64_t)(ticks - line.ticks) * line.seconds_per_tick;
}
static inline double clock_seconds(const struct darshan_clock *clock, uint64_t ticks) {
  return clock_seconds_by(clock_line(clock), ticks);
}

/* Converts the ticks `start` and `end` to seconds with the same calibration, and returns both
 * times. */
static inline struct clock_span clock_span(const struct darshan_clock *clock, uint64_t start,
                                           uint64_t end) {
  struct clock_line line = clock_line(clock);
  return (struct clock_span){clock_seconds_by(line, start), clock_seconds_by(line, end)};
}

/* Returns the tick at which, by the line, this many seconds will have passed. */
static inline uint64_t clock_ticks_at(const struct darshan_clock *clock, double seconds) {
  struct clock_line line = clock_line(clock);
  return line.ticks + (uint64_t)(int64_t)((seconds - line.seconds) / line.seconds_per_tick);
}

static inline void record_note_start(double *first, double start) {
  if (*first == 0 || start < *first) *first = start;
}
/* Returns the seconds of a call without its overlap with calls before it, and stores its end in
 * *last if that is later. Returns 0 if a call of another thread ended later and was counted
 * first. */
static inline double record_time(double *last, struct clock_span at) {
  double from = at.start > *last ? at.start : *last;
  if (at.end <= from) return 0;
  *last = at.end;
  return at.end - from;
}

#endif
