/* A rank that opens, writes and closes files, of its own or those of all ranks:
 * shutdown FOLDER SHARED OWN.  What the end costs is what the runtime says. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int write_one(const char *path, int rank) {
  int fd = open(path, O_RDWR | O_CREAT, 0644);
  ssize_t written = pwrite(fd, path, 64, 64 * (off_t)rank);
  return close(fd) || written != 64;
}

int main(int argc, char **argv) {
  char path[4096] = "";
  int rank, failed = argc != 4;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; !failed && i < atoi(argv[2]); i++) {
    snprintf(path, sizeof(path), "%s/shared-%d", argv[1], i);
    failed = write_one(path, rank);
  }
  for (int i = 0; !failed && i < atoi(argv[3]); i++) {
    snprintf(path, sizeof(path), "%s/own-%d-%d", argv[1], rank, i);
    failed = write_one(path, rank);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return failed;
}
