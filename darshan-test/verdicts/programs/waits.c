/* Programs that wait for files: waits CASE [cured]. */
#include <time.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"

enum { STEPS = 3, ROUNDS = 20000000 };

/* Computes for some ten milliseconds, then makes a file. */
static void make(int step) {
  char name[32];
  volatile double sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    sum += i;
  snprintf(name, sizeof name, "part%d", step);
  FILE *file = fopen(name, "w");
  fprintf(file, "%f\n", sum);
  fclose(file);
}

/* The child makes a file, and the parent waits for it. */
static void child_makes(bool cured) {
  for (int step = 0; step < STEPS; step++) {
    char name[32];
    struct stat known;
    snprintf(name, sizeof name, "part%d", step);
    pid_t child = fork();
    if (child == 0) {
      make(step);
      exit(0);
    }
    while (!cured && stat(name, &known) != 0) { /* blame: child-makes */
      struct timespec pause = {0, 400000000};
      nanosleep(&pause, NULL);
    }
    must(waitpid(child, NULL, 0) == child, "child");
  }
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"child-makes", child_makes},
      {NULL, NULL},
  };
  return run_case(argc, argv, cases);
}
