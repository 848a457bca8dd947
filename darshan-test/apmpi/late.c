/* Rank 1 comes later than the others to two collectives, by MILLISECONDS. END is "finalize", or
 * "killed": each rank kills itself, so that none can report its waiting. Writes down its calls in
 * FOLDER. Usage: late FOLDER END [MILLISECONDS]. */
#include "expected.h"

#include <signal.h>
#include <unistd.h>

/* Waits until all ranks have written their files, because the launcher ends the others as soon as
 * one rank is dead. */
static void wait_for_all(const char *folder) {
  char path[4096];
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < size; i++) {
    snprintf(path, sizeof(path), "%s/expected.%d", folder, i);
    while (access(path, F_OK) != 0)
      usleep(1000);
  }
}

int main(int argc, char **argv) {
  int rank, sum, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 1);
  useconds_t late = 1000 * (useconds_t)(argc > 3 ? atoi(argv[3]) : 50);
  if (rank == 1) usleep(late);
  CALL(BARRIER, 0, MPI_Barrier(MPI_COMM_WORLD));
  if (rank == 1) usleep(late);
  CALL(ALLREDUCE, 4, MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  write_expected(argv[1], rank);
  if (strcmp(argv[2], "killed") == 0) {
    wait_for_all(argv[1]);
    kill(getpid(), SIGKILL);
  }
  MPI_Finalize();
  return 0;
}
