/* Has a file open by MPI-IO more often at a time than the runtime's table has entries, and writes 4
 * bytes by each handle: many-handles FILE TIMES. */
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS || argc != 3) return 2;
  int n = atoi(argv[2]);
  MPI_File *file = malloc((size_t)n * sizeof(*file));
  for (int i = 0; i < n; i++)
    if (MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file[i]))
      return 3;
  for (int i = 0; i < n; i++)
    if (MPI_File_write_at(file[i], 4 * i, "1234", 4, MPI_BYTE, MPI_STATUS_IGNORE)) return 4;
  for (int i = 0; i < n; i++)
    if (MPI_File_close(&file[i])) return 5;
  return MPI_Finalize();
}
