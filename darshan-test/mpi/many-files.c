/* The first rank writes 3 bytes to each of many files: many-files FOLDER NUMBER. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  char name[4096];
  int rank;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS || argc != 3) return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; rank == 0 && i < atoi(argv[2]); i++) {
    snprintf(name, sizeof(name), "%s/%d.dat", argv[1], i);
    int fd = open(name, O_WRONLY | O_CREAT, 0600);
    if (fd < 0 || write(fd, "abc", 3) != 3 || close(fd) != 0) return 3;
  }
  return MPI_Finalize();
}
