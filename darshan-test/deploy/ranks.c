/* An MPI job in which each rank writes its own file. With SECONDS, rank 0 then creates the file
 * `all`, and all ranks sleep, so that a test can kill them. Usage: ranks FOLDER [SECONDS]. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char path[4096];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof(path), "%s/own.%d", argv[1], rank);
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0 || write(fd, path, 10) != 10 || close(fd) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc > 2) {
    snprintf(path, sizeof(path), "%s/all", argv[1]);
    close(open(path, O_WRONLY | O_CREAT, 0644));
  }
  if (argc > 2) sleep((unsigned)atoi(argv[2]));
  MPI_Finalize();
  return 0;
}
