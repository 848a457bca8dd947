"""An MPI program of two ranks that write pieces in turn, collectively or independently."""

from __future__ import annotations

# Arguments: "collective" with hints that switch collective buffering off; "alone" leaves gaps in a
# file of its own. Each small write takes a while.
PIECES = """
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
enum { SIZE = 64, NUMBER = 1500 };
ssize_t pwrite64(int fd, const void *from, size_t n, off_t at) {
  if (n <= SIZE) usleep(700);
  return syscall(SYS_pwrite64, fd, from, n, at);
}
ssize_t pwrite(int fd, const void *from, size_t n, off_t at) { return pwrite64(fd, from, n, at); }
ssize_t write(int fd, const void *from, size_t n) {
  if (n == SIZE) usleep(700);
  return syscall(SYS_write, fd, from, n);
}
int main(int argc, char **argv) {
  static char room[SIZE * NUMBER];
  char name[40] = "all";
  int rank, ranks, alone = argc > 1 && strcmp(argv[1], "alone") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  memset(room, 'a' + rank, sizeof room);
  if (alone) snprintf(name, sizeof name, "own.%d", rank);
  MPI_Info info = MPI_INFO_NULL;
  if (!alone) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", "disable");
    MPI_Info_set(info, "romio_ds_write", "disable");
  }
  MPI_File file;
  MPI_Datatype type;
  if (MPI_File_open(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR,
                    info, &file))
    return 3;
  MPI_Type_vector(NUMBER, SIZE, SIZE * ranks, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_set_view(file, rank * SIZE, MPI_BYTE, type, "native", info);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (alone)
    MPI_File_write_at(file, 0, room, sizeof room, MPI_BYTE, MPI_STATUS_IGNORE);
  else
    MPI_File_write_at_all(file, 0, room, sizeof room, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
"""
