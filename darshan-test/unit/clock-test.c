/* Tests the clock on a simulated processor that may be preempted between any two readings. */
#include <time.h>

#include "unit.h"

/* The simulated machine; now: its time in ns. Each reading takes READING ns; a reading that is
 * delayed ends only after the processor is available again. */
static struct {
  uint64_t now;
  unsigned random;
  unsigned stalls_per_1000; /* of readings */
  uint64_t stall;           /* length of a delay, in ns */
  int64_t set_by;           /* adjustment of the wall clock, in ns */
  int readings_to_stall;    /* 1: the next reading stalls; 0: none */
} machine;

enum { READING = 20, TICKS_PER_100_NS = 245 };

static unsigned draw(unsigned below) {
  machine.random = machine.random * 1664525u + 1013904223u;
  return (machine.random >> 8) % below;
}

/* Returns the time at the middle of a reading, in ns, and advances the time to the reading's
 * end. */
static uint64_t read_time(void) {
  uint64_t at = machine.now += READING / 2;
  machine.now += READING / 2;
  int chosen = machine.readings_to_stall && --machine.readings_to_stall == 0;
  if (chosen || draw(1000) < machine.stalls_per_1000) machine.now += machine.stall;
  return at;
}

static uint64_t read_counter(void) {
  return read_time() * TICKS_PER_100_NS / 100;
}

static int read_clock(clockid_t id, struct timespec *now) {
  uint64_t ns = read_time() + (uint64_t)(id == CLOCK_REALTIME ? machine.set_by : 0);
  *now = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
  return 0;
}

#define CLOCK_TEST_COUNTER read_counter
#define clock_gettime read_clock
#include "counting/clock.c"

enum { CALLS = 20000, TOLERANCE = 5 * READING };

/* Asserts that a time in seconds since the clock's start equals the simulated time ns, within
 * TOLERANCE ns. */
static void check_moment(double seconds, uint64_t ns, const struct darshan_clock *clock) {
  double wanted = (double)(ns - clock->first_ns);
  assert_true(seconds * 1e9 > wanted - TOLERANCE && seconds * 1e9 < wanted + TOLERANCE);
}

/* Simulates calls of up to 2 us, each after a pause of up to 10 us, and checks that measured
 * durations are exact to about one reading. */
static void run_calls(struct darshan_clock *clock) {
  for (int i = 0; i < CALLS; i++) {
    machine.now += 1 + draw(10000);
    uint64_t began = machine.now + READING / 2, t1 = read_counter();
    machine.now += draw(2000);
    uint64_t ended = machine.now + READING / 2, t2 = read_counter();
    if (t2 >= clock->refit_at) clock_refit(clock);
    struct clock_span at = clock_span(clock, t1, t2);
    check_moment(at.start, began, clock);
    check_moment(at.end, ended, clock);
    assert_true(at.end > at.start);
  }
}

static struct darshan_clock new_clock(int trusted) {
  struct darshan_clock clock = {.counter_trusted = trusted};
  set_off(&clock);
  return clock;
}

static void set_machine(unsigned stalls_per_1000) {
  machine.now = 1000000000;
  machine.random = 1;
  machine.stalls_per_1000 = stalls_per_1000;
  machine.stall = 2000000;
}

static void test_undisturbed(void **state) {
  (void)state;
  set_machine(0);
  struct darshan_clock clock = new_clock(1);
  run_calls(&clock);
}

static void test_often_interrupted(void **state) {
  (void)state;
  set_machine(100);
  struct darshan_clock clock = new_clock(1);
  run_calls(&clock);
}

/* Delays a reading each time when the clock compares counter and monotonic clock: at its start,
 * where a reading of the wall clock precedes, and at each refit. reading: 1 delays the return of
 * the counter's first reading, 2 that of the monotonic clock's. */
static void interrupt_moments(int reading) {
  set_machine(0);
  machine.readings_to_stall = 1 + reading;
  struct darshan_clock clock = new_clock(1);
  for (int i = 0; i < CALLS; i++) {
    machine.now += 1 + draw(10000);
    uint64_t began = machine.now + READING / 2, t1 = read_counter();
    if (t1 < clock.refit_at) continue;
    machine.readings_to_stall = reading;
    clock_refit(&clock);
    check_moment(clock_seconds(&clock, t1), began, &clock);
  }
}

static void test_interrupted_in_moments(void **state) {
  (void)state;
  interrupt_moments(1);
  interrupt_moments(2);
}

static void test_counter_not_trusted(void **state) {
  (void)state;
  set_machine(100);
  struct darshan_clock clock = new_clock(0);
  for (int i = 0; i < CALLS; i++) {
    uint64_t began = machine.now + READING / 2, t1 = clock_ticks(&clock);
    assert_true(t1 < clock.refit_at);
    check_moment(clock_seconds(&clock, t1), began, &clock);
  }
}

/* If the thread moves to a processor whose counter is behind, times do not go backwards. */
static void test_counter_that_is_behind(void **state) {
  (void)state;
  set_machine(0);
  struct darshan_clock clock = new_clock(1);
  uint64_t t1 = clock_ticks(&clock), t2 = clock_ticks_after(&clock, t1);
  assert_true(t2 > t1);
  machine.now -= 1000;
  assert_true(clock_ticks_after(&clock, t2) == t2);
  struct clock_span at = clock_span(&clock, t2, clock_ticks_after(&clock, t2));
  assert_true(at.end == at.start);
}

static void test_wall_clock_is_set(void **state) {
  (void)state;
  set_machine(0);
  struct darshan_clock clock = new_clock(1);
  struct timespec before = clock_wall(&clock);
  assert_true(before.tv_sec == clock.start_sec);
  machine.set_by = -500000000;
  machine.now += 3999999000;
  struct timespec after = clock_wall(&clock);
  int64_t passed = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
  assert_true(passed >= 3999999000 && passed <= 3999999000 + TOLERANCE);
  assert_true(after.tv_nsec >= 0 && after.tv_nsec < 1000000000);
}

/* If two threads use one file, the call that ended last may be counted first. */
static void test_overlapping_calls(void **state) {
  (void)state;
  double last = 0, total = 0;
  total += record_time(&last, (struct clock_span){1, 2});
  total += record_time(&last, (struct clock_span){4, 9});
  assert_true(total == 6);
  total += record_time(&last, (struct clock_span){3, 8});
  assert_true(total == 6 && last == 9);
  total += record_time(&last, (struct clock_span){8, 10});
  assert_true(total == 7 && last == 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_undisturbed),
      cmocka_unit_test(test_often_interrupted),
      cmocka_unit_test(test_interrupted_in_moments),
      cmocka_unit_test(test_counter_not_trusted),
      cmocka_unit_test(test_counter_that_is_behind),
      cmocka_unit_test(test_wall_clock_is_set),
      cmocka_unit_test(test_overlapping_calls),
  };
  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
