/* Times calls of MPI that go nowhere, so that what is around them is seen: talk-cost CALLS
 *
 * Prints nanoseconds of processor time per MPI_Send to the null process, the least of some
 * rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 10 };

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  double least = 0;
  MPI_Init(&argc, &argv);
  long calls = argc == 2 ? atol(argv[1]) : 0;
  if (calls <= 0) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int round = 0; round < ROUNDS; round++) {
    int number = round;
    double start = cpu_ns();
    for (long i = 0; i < calls; i++)
      MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    double taken = (cpu_ns() - start) / (double)calls;
    if (round == 0 || taken < least) least = taken;
  }
  printf("%.2f\n", least);
  MPI_Finalize();
  return 0;
}
