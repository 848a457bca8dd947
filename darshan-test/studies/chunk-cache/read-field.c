/* Reads horizontal slices one after another, then time series at points. Arguments: FILE, bytes of
 * chunk cache (0: the library's default), number of slices, number of series.
 *
 * Prints a name and a number per line: sums of the values, the size of the cache in use in bytes,
 * requested bytes, and, with names that end in _us, times in microseconds. */
#include "field.h"
#include "variable.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Returns the time of a clock in microseconds. */
static double microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Returns the sum of n values. */
static double sum(const float *values, size_t n) {
  double total = 0;
  for (size_t i = 0; i < n; i++)
    total += values[i];
  return total;
}

struct times {
  double first, later; /* later: sum of all but the first */
};

/* Adds the time of read number i, in microseconds. */
static void add(struct times *times, size_t i, double taken) {
  if (i == 0)
    times->first = taken;
  else
    times->later += taken;
}

/* Prints the time of the first read, and the mean of the others, or 0 if n is 1. n: number of
 * reads. */
static void print(const char *what, const struct times *times, size_t n) {
  printf("%s_first_us %.1f\n", what, times->first);
  printf("%s_later_us %.1f\n", what, n > 1 ? times->later / (double)(n - 1) : 0.0);
}

/* Reads n planes of the field and prints the sum of each. values: room for one. */
static void read_slices(size_t n, float *values) {
  struct times times = {0, 0};
  for (size_t i = 0; i < n; i++) {
    size_t start[3] = {i, 0, 0}, count[3] = {1, FIELD_LAT, FIELD_LON};
    double begun = microseconds(CLOCK_MONOTONIC);
    variable_read(start, count, values);
    add(&times, i, microseconds(CLOCK_MONOTONIC) - begun);
    printf("slice_%zu %.17g\n", i, sum(values, FIELD_PLANE));
  }
  print("slice", &times, n);
}

/* Reads the first `steps` time steps at n points and prints the sum of each. values: room for
 * one. */
static void read_series(size_t n, size_t steps, float *values) {
  struct times times = {0, 0};
  for (size_t i = 0; i < n; i++) {
    size_t start[3] = {0, i * 37 % FIELD_LAT, i * 101 % FIELD_LON}, count[3] = {steps, 1, 1};
    double begun = microseconds(CLOCK_MONOTONIC);
    variable_read(start, count, values);
    add(&times, i, microseconds(CLOCK_MONOTONIC) - begun);
    printf("series_%zu %.17g\n", i, sum(values, steps));
  }
  print("series", &times, n);
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s FILE CACHE SLICES SERIES\n", argv[0]);
    return 2;
  }
  size_t cache = field_number(argv[2]), slices = field_number(argv[3]);
  size_t series = field_number(argv[4]);
  variable_open(argv[1], cache);
  size_t steps = variable_steps();
  if (slices > steps) slices = steps;
  float *values = malloc((steps > FIELD_PLANE ? steps : FIELD_PLANE) * sizeof(float));
  if (!values) return 1;
  read_slices(slices, values);
  printf("cache %zu\n", variable_cache());
  variable_close();

  if (series > 0) { /* reopened, so that the series do not profit from cached chunks */
    variable_open(argv[1], cache);
    read_series(series, steps, values);
    variable_close();
  }
  /* Processor time is the only time that is precise to a per cent on a busy machine. */
  printf("processor_us %.1f\n", microseconds(CLOCK_PROCESS_CPUTIME_ID));
  printf("asked %zu\n", (slices * FIELD_PLANE + series * steps) * sizeof(float));
  free(values);
  return 0;
}
