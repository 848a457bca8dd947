/* Measures how long the runtime delays a job in MPI_Init: rank 0 prints the nanoseconds between two
 * points in time. The first is when the last rank returned from the MPI library's own MPI_Init,
 * which init-tool stores. The second is when the last rank returned to this program. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv) {
  struct timespec now;
  double returned[2], last[2];
  int rank;
  MPI_Init(&argc, &argv);
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double *inner = dlsym(RTLD_DEFAULT, "init_returned_ns");
  if (!inner) MPI_Abort(MPI_COMM_WORLD, 2);
  returned[0] = *inner;
  returned[1] = (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(returned, last, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", last[1] - last[0]);
  MPI_Finalize();
  return 0;
}
