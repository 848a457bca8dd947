/* Makes MPI calls that make others inside: of MPI-IO, and for windows and communicators. The inner
 * calls do not count as calls of the program, which itself makes only two barriers and waits for
 * its write. Writes down its calls in FOLDER. Usage: inside FOLDER. */
#include "expected.h"

int main(int argc, char **argv) {
  static char data[4096];
  char path[4096];
  int rank, *memory;
  MPI_Comm copy, part;
  MPI_Win win;
  MPI_File file;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CALL(BARRIER, 0, MPI_Barrier(MPI_COMM_WORLD));
  snprintf(path, sizeof(path), "%s/shared", argc == 2 ? argv[1] : ".");
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)rank * 4096, data, 4096, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_iwrite_at(file, (MPI_Offset)rank * 4096, data, 4096, MPI_BYTE, &request);
  CALL(WAIT, 0, MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_File_write_ordered(file, data, 100, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_set_size(file, 100);
  MPI_File_close(&file);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(copy, rank % 2, 0, &part);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, copy, &memory, &win);
  MPI_Win_free(&win);
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  CALL(BARRIER, 0, MPI_Barrier(MPI_COMM_WORLD));
  write_expected(argv[1], rank);
  MPI_Finalize();
  return 0;
}
