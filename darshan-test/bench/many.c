/* Starts many short processes: many TIMES TOGETHER PROGRAM [ARGUMENT...]. Runs PROGRAM TIMES times,
 * TOGETHER of them at once. Prints two numbers in microseconds: the elapsed time, and the processor
 * time of all these processes and of this program. */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Returns microseconds. */
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Returns the microseconds of processor time so far. who: as in getrusage. */
static double processor(int who) {
  struct rusage usage;
  getrusage(who, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Waits for the end of one process; ends the program if it failed. */
static void reap(void) {
  int status;
  if (wait(&status) < 0 || status != 0) errx(1, "a process failed");
}

int main(int argc, char **argv) {
  if (argc < 4) errx(2, "usage: many TIMES TOGETHER PROGRAM [ARGUMENT...]");
  long times = atol(argv[1]), together = atol(argv[2]), running = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  double start = now();
  for (long i = 0; i < times; i++) {
    if (running == together) reap(), running--;
    if (posix_spawn(&(pid_t){0}, argv[3], &actions, NULL, argv + 3, environ) != 0)
      errx(1, "cannot start %s", argv[3]);
    running++;
  }
  while (running-- > 0)
    reap();
  printf("%.0f %.0f\n", now() - start, processor(RUSAGE_CHILDREN) + processor(RUSAGE_SELF));
  posix_spawn_file_actions_destroy(&actions);
  return 0;
}
