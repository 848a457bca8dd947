/* An MPI job in which every rank writes to a separate file and to a shared file; then one rank is
 * killed before MPI_Finalize. */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Writes the first bytes of a text to a file. Returns 0; not 0 if that fails. */
static int write_some(const char *path, int bytes) {
  int fd = open(path, O_RDWR | O_CREAT, 0644);
  ssize_t written = pwrite(fd, "01234567", (size_t)bytes, 0);
  return close(fd) || written != bytes;
}

int main(int argc, char **argv) {
  char path[4096];
  int rank, failed = argc != 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof(path), "%s/file-own-%d", argv[1], rank);
  failed |= write_some(path, rank + 1);
  snprintf(path, sizeof(path), "%s/file-shared", argv[1]);
  failed |= write_some(path, rank + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) kill(getpid(), SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
