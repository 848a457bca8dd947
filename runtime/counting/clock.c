/* Reads the clocks, and computes the line that converts ticks to seconds (clock.h). */
#include "clock.h"

#include <string.h>

#include "../intercept/floats.h"
#include "../intercept/sys/sys.h"

enum { REFIT_MAX_SECONDS = 1, MOMENT_TRIES = 8 };

static struct darshan_clock *settled; /* the clock that clock_settle changed; NULL: none */

static uint64_t ask_kernel(clockid_t id) {
  struct timespec now = {0, 0};
  SYS2(SYS_clock_gettime, id, &now);
  return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Returns the time of a clock in nanoseconds, read with libc's clock_gettime (in the vDSO). Makes
 * no system call and does not change errno. */
static uint64_t ask_vdso(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Returns the time of a clock in nanoseconds, computed from the tick counter without a call to
 * the kernel. CLOCK_REALTIME: the time at the start plus the time since then; any other clock:
 * CLOCK_MONOTONIC. */
static uint64_t ns_by_line(const struct darshan_clock *clock, clockid_t id) {
  uint64_t ticks = clock_ticks(clock);
  struct floats floats; /* this function is called outside of updates, too */
  floats_take(&floats);
  uint64_t passed = (uint64_t)(clock_seconds(clock, ticks) * 1e9);
  floats_give(&floats);
  if (id == CLOCK_REALTIME)
    return (uint64_t)clock->start_sec * NS_PER_SECOND + (uint64_t)clock->start_nsec + passed;
  return clock->first_ns + passed;
}

uint64_t clock_ns(clockid_t id) {
  if (__builtin_expect(settled == NULL, 1)) return ask_vdso(id);
  return settled->source == CLOCK_CALL ? ask_kernel(id) : ns_by_line(settled, id);
}

uint64_t clock_ticks_asked(const struct darshan_clock *clock) {
  if (clock->source == CLOCK_VDSO) return ask_vdso(CLOCK_MONOTONIC);
  if (clock->source == CLOCK_NOBODY) return clock->base_ticks;
  uint64_t ns = ask_kernel(CLOCK_MONOTONIC) - clock->base_ns;
  struct floats floats;
  floats_take(&floats);
  uint64_t passed = (uint64_t)((double)ns * 1e-9 / clock->lines[clock->current].seconds_per_tick);
  floats_give(&floats);
  return clock->base_ticks + passed;
}

/* Returns 1 if the tick counter may be used because the kernel itself keeps time by it, else 0. */
static int kernel_uses_counter(void) {
#if defined(__x86_64__)
  char source[16] = "";
  int fd =
      sys_open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY, 0);
  if (fd < 0) return 0;
  ssize_t n = sys_read(fd, source, sizeof(source) - 1);
  sys_close(fd);
  return n >= 3 && memcmp(source, "tsc", 3) == 0;
#elif defined(__aarch64__)
  return 1; /* the architecture guarantees a constant rate, common to all processors */
#else
  return 0;
#endif
}

/* A point in time, read on both clocks. If the thread loses its processor between the two readings,
 * the pair is wrong by milliseconds and later times would jump back. Therefore a pair whose reading
 * took too long is read again. */
struct moment {
  uint64_t ticks, ns;
};
static struct moment moment_now(struct darshan_clock *clock) {
  struct moment best = {0, 0};
  uint64_t shortest = UINT64_MAX;
  for (int i = 0; i < MOMENT_TRIES && shortest / 2 >= clock->reading; i++) {
    uint64_t before = clock_counter();
    uint64_t ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t passed = clock_counter() - before;
    if (passed >= shortest) continue;
    shortest = passed;
    best = (struct moment){before + passed / 2, ns};
  }
  if (clock->reading == 0 || shortest < clock->reading) clock->reading = shortest;
  return best;
}

static void set_off(struct darshan_clock *clock) {
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  struct moment first;
  if (clock->counter_trusted)
    first = moment_now(clock);
  else
    first.ticks = first.ns = clock_ns(CLOCK_MONOTONIC);
  clock->first_ns = first.ns;
  clock->first_ticks = first.ticks;
  clock->start_sec = wall.tv_sec;
  clock->start_nsec = wall.tv_nsec;
  clock->refitting = 0;
  clock->lines[0] = (struct clock_line){clock->first_ticks, 0.0, 1e-9};
  clock->current = 0;
  clock->refit_at = clock->counter_trusted ? 0 : UINT64_MAX;
}

void clock_start(struct darshan_clock *clock) {
  if (settled) return; /* a forked child continues to use the parent's clock */
  clock->counter_trusted = kernel_uses_counter();
  set_off(clock);
}

struct timespec clock_wall(const struct darshan_clock *clock) {
  uint64_t ns = clock_ns(CLOCK_MONOTONIC) - clock->first_ns + (uint64_t)clock->start_nsec;
  return (struct timespec){clock->start_sec + (int64_t)(ns / NS_PER_SECOND),
                           (long)(ns % NS_PER_SECOND)};
}

void clock_refit(struct darshan_clock *clock) {
  int idle = 0;
  if (settled) return;
  if (!__atomic_compare_exchange_n(&clock->refitting, &idle, 1, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return;
  struct floats floats; /* called outside of updates, too, when a filter changes */
  floats_take(&floats);
  struct moment now = moment_now(clock);
  uint64_t ns = now.ns - clock->first_ns, ticks = now.ticks;
  uint64_t passed = ticks - clock->first_ticks;
  if (passed != 0 && ns != 0) {
    unsigned next = (clock->current + 1) & 3;
    struct clock_line *line = &clock->lines[next];
    double seconds = (double)ns * 1e-9, seconds_per_tick = seconds / (double)passed;
    __atomic_store(&line->seconds_per_tick, &seconds_per_tick, __ATOMIC_RELAXED);
    __atomic_store(&line->seconds, &seconds, __ATOMIC_RELAXED);
    __atomic_store_n(&line->ticks, ticks, __ATOMIC_RELAXED);
    uint64_t wait = passed / 8;
    uint64_t most = (uint64_t)(REFIT_MAX_SECONDS / seconds_per_tick);
    __atomic_store_n(&clock->current, next, __ATOMIC_RELEASE);
    __atomic_store_n(&clock->refit_at, ticks + (wait < most ? wait : most), __ATOMIC_RELAXED);
  }
  floats_give(&floats);
  __atomic_store_n(&clock->refitting, 0, __ATOMIC_RELEASE);
}

void clock_settle(struct darshan_clock *clock, int calls, int counter) {
  if (clock->counter_trusted) clock_refit(clock);
  clock->base_ns = clock_ns(CLOCK_MONOTONIC);
  clock->base_ticks = clock_ticks(clock);
  clock->had_counter = clock->counter_trusted;
  clock->counter_trusted = clock->counter_trusted && counter;
  clock->refit_at = UINT64_MAX;
  clock->source = calls ? CLOCK_CALL : CLOCK_NOBODY;
  settled = clock;
}

void clock_unsettle(struct darshan_clock *clock) {
  settled = NULL;
  clock->source = CLOCK_VDSO;
  clock->counter_trusted = clock->had_counter;
  clock->refit_at = clock->counter_trusted ? 0 : UINT64_MAX;
}
