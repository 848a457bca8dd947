/* Measures the cost of the start and end of a process: spawn TIMES NAME=VALUE... -- COMMAND... Runs
 * the command TIMES times without and TIMES times with the given variables, in turn. Prints a line
 * for each way: the medians of elapsed time and processor time in microseconds, and the largest
 * resident memory of any process in KiB. */
#include <err.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

/* The results of all runs in one way. */
struct series {
  double *wall, *processor; /* microseconds */
  long resident;            /* KiB */
};

/* Returns a time in microseconds. */
static double of_timeval(struct timeval time) {
  return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

/* Runs the command once, and adds the result as number `number` of a series. */
static void run(char **command, char **environment, struct series *series, size_t number) {
  struct timespec start, end;
  struct rusage usage;
  pid_t pid;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (posix_spawnp(&pid, command[0], NULL, NULL, command, environment) != 0) err(1, "spawn");
  if (wait4(pid, &status, 0, &usage) != pid || status != 0) errx(1, "%s failed", command[0]);
  clock_gettime(CLOCK_MONOTONIC, &end);
  series->wall[number] =
      (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) * 1e-3;
  series->processor[number] = of_timeval(usage.ru_utime) + of_timeval(usage.ru_stime);
  if (usage.ru_maxrss > series->resident) series->resident = usage.ru_maxrss;
}

/* Compares two doubles, for qsort. */
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints the line of a series of `times` runs, and sorts its results. */
static void print(const struct series *series, size_t times) {
  qsort(series->wall, times, sizeof(double), by_value);
  qsort(series->processor, times, sizeof(double), by_value);
  printf("%.1f %.1f %ld\n", series->wall[times / 2], series->processor[times / 2],
         series->resident);
}

/* Returns a new array with this process's environment, then the `count` variables ("NAME=VALUE"),
 * then NULL. The strings are not copied. */
static char **extended(char **variables, size_t count) {
  size_t length = 0;
  while (environ[length])
    length++;
  char **result = calloc(length + count + 1, sizeof(*result));
  if (!result) err(1, "calloc");
  memcpy(result, environ, length * sizeof(*result));
  memcpy(result + length, variables, count * sizeof(*result));
  return result;
}

int main(int argc, char **argv) {
  int split = 2;
  while (split < argc && strcmp(argv[split], "--") != 0)
    split++;
  if (split + 1 >= argc) errx(2, "usage: spawn TIMES NAME=VALUE... -- COMMAND...");
  size_t times = strtoul(argv[1], NULL, 10);
  char **with = extended(argv + 2, (size_t)split - 2);
  struct series series[2];
  for (int i = 0; i < 2; i++) {
    series[i] = (struct series){calloc(times, sizeof(double)), calloc(times, sizeof(double)), 0};
    if (!series[i].wall || !series[i].processor || !times) err(1, "calloc");
  }
  for (size_t i = 0; i < times; i++) {
    run(argv + split + 1, environ, &series[0], i);
    run(argv + split + 1, with, &series[1], i);
  }
  print(&series[0], times);
  print(&series[1], times);
  return 0;
}
