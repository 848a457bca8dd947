/* A program of the standard ABI: one file of 123 bytes between begin and end. */
#include <fcntl.h>
#include <unistd.h>

#include "abi.h"

int main(int argc, char **argv) {
  static const char data[123];
  int rank, fd;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fd = open(argv[1], O_CREAT | O_WRONLY, 0600);
  if (rank != 0 || fd < 0 || write(fd, data, sizeof(data)) != sizeof(data)) return 1;
  close(fd);
  return MPI_Finalize();
}
