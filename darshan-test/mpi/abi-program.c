/* A program that uses the standard ABI of MPI: abi-program FILE FOLDER. It writes 123 bytes to FILE
 * between MPI_Init and MPI_Finalize, and opens files in FOLDER by MPI-IO, each named after its
 * mode. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "abi.h"

#define MODE(mode)                                                                                 \
  { #mode, MPI_MODE_##mode }

static void open_in_each_mode(const char *folder) {
  static const struct {
    const char *name;
    int mode;
  } modes[] = {MODE(CREATE),
               MODE(RDONLY),
               MODE(WRONLY),
               MODE(RDWR),
               MODE(DELETE_ON_CLOSE),
               MODE(UNIQUE_OPEN),
               MODE(EXCL),
               MODE(APPEND),
               MODE(SEQUENTIAL),
               {"SEVERAL", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_APPEND}};
  char name[4096];
  MPI_File fh;
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
    snprintf(name, sizeof(name), "%s/%s", folder, modes[i].name);
    MPI_File_open(MPI_COMM_WORLD, name, modes[i].mode, MPI_INFO_NULL, &fh);
    MPI_File_close(&fh);
  }
}

int main(int argc, char **argv) {
  static const char data[123];
  int rank, fd;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fd = open(argv[1], O_CREAT | O_WRONLY, 0600);
  if (rank != 0 || fd < 0 || write(fd, data, sizeof(data)) != sizeof(data)) return 1;
  close(fd);
  if (argc > 2) open_in_each_mode(argv[2]);
  return MPI_Finalize();
}
