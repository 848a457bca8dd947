/* Time as the records want it: seconds since the start of the process.
 *
 * A wrapper reads a tick counter (the TSC on x86-64, the virtual counter on
 * AArch64) before and after the call; ticks become seconds by a straight line
 * through two moments read on both the counter and CLOCK_MONOTONIC.  The line is
 * refitted whenever the distance from its first point has grown by an eighth (at
 * most a second), so a conversion is never further off than about one clock
 * reading, provided that nothing came between the two readings of a moment:
 * clock.c sees to that.  Where the kernel does not trust the counter, ticks are
 * nanoseconds of CLOCK_MONOTONIC. */
#ifndef DARSHAN_CLOCK_H
#define DARSHAN_CLOCK_H

#include <stdint.h>
#include <time.h>

enum { NS_PER_SECOND = 1000000000 };

/* What a log calls the counter; ticks of which every counter of the kind, and the nanoseconds
 * in its place, have more in a millisecond. */
#if defined(__aarch64__)
#define CLOCK_COUNTER "cntvct"
enum { CLOCK_SHORT = 1 << 10 };
#else
#define CLOCK_COUNTER "tsc"
enum { CLOCK_SHORT = 1 << 18 };
#endif

struct clock_line {
  uint64_t ticks; /* at this reading ... */
  double seconds; /* ... this much time had passed */
  double seconds_per_tick;
};

/* From the start of a call to its end, in seconds. */
struct clock_span {
  double start, end;
};
static inline double clock_length(struct clock_span at) {
  return at.end - at.start;
}

/* Whom to ask where the counter is not to be read. */
enum clock_source {
  CLOCK_VDSO,  /* it reads the counter, or knows better */
  CLOCK_CALL,  /* the program has made reading the counter a fault */
  CLOCK_NOBODY /* and system calls, too: time stands still */
};

struct darshan_clock { /* begins with what every call reads */
  uint64_t refit_at;   /* in ticks */
  unsigned current;    /* the line in use; the others are old or being written */
  int counter_trusted;
  struct clock_line lines[4];
  uint64_t first_ticks;
  uint64_t first_ns;
  uint64_t reading;  /* ticks that one reading of CLOCK_MONOTONIC takes, undisturbed */
  int64_t start_sec; /* wall clock at the start */
  int64_t start_nsec;
  int refitting;
  enum clock_source source; /* where the counter is not read */
  int had_counter;          /* and trusted it, before */
  uint64_t base_ticks;      /* when it was read last */
  uint64_t base_ns;
};

uint64_t clock_ns(clockid_t id);
uint64_t clock_ticks_asked(const struct darshan_clock *clock);
void clock_start(struct darshan_clock *clock);
/* The wall clock now, as it is if nobody has set it since the start: times within
 * a run and its length belong together. */
/* The program is about to forbid system calls (sys-gate.h), reading the counter, or both:
 * time is told by what is left.  clock_unsettle: it was refused. */
void clock_settle(struct darshan_clock *clock, int calls, int counter);
void clock_unsettle(struct darshan_clock *clock);
struct timespec clock_wall(const struct darshan_clock *clock);
/* Fits the line anew; called when refit_at has passed. */
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

/* The same, but never before: a thread may have gone to a processor whose counter is
 * a little behind. */
static inline uint64_t clock_ticks_after(const struct darshan_clock *clock, uint64_t before) {
  uint64_t now = clock_ticks(clock);
  return __builtin_expect(now > before, 1) ? now : before;
}

static inline struct clock_line clock_line(const struct darshan_clock *clock) {
  const struct clock_line *line =
      &clock->lines[__atomic_load_n(&clock->current, __ATOMIC_ACQUIRE) & 3];
  /* Atomic, because a reader that slept for three refits may see one written. */
  struct clock_line copy;
  copy.ticks = __atomic_load_n(&line->ticks, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds, &copy.seconds, __ATOMIC_RELAXED);
  __atomic_load(&line->seconds_per_tick, &copy.seconds_per_tick, __ATOMIC_RELAXED);
  return copy;
}

/* How long a tick is, for lengths of time alone. */
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

/* Both by one line: a refit in between could turn a short span around. */
static inline struct clock_span clock_span(const struct darshan_clock *clock, uint64_t start,
                                           uint64_t end) {
  struct clock_line line = clock_line(clock);
  return (struct clock_span){clock_seconds_by(line, start), clock_seconds_by(line, end)};
}

/* When the line says that this many seconds will have passed. */
static inline uint64_t clock_ticks_at(const struct darshan_clock *clock, double seconds) {
  struct clock_line line = clock_line(clock);
  return line.ticks + (uint64_t)(int64_t)((seconds - line.seconds) / line.seconds_per_tick);
}

static inline void record_note_start(double *first, double start) {
  if (*first == 0 || start < *first) *first = start;
}
/* Time without what overlaps calls before it.  None is left where a call of
 * another thread ended later and was counted first. */
static inline double record_time(double *last, struct clock_span at) {
  double from = at.start > *last ? at.start : *last;
  if (at.end <= from) return 0;
  *last = at.end;
  return at.end - from;
}

#endif
