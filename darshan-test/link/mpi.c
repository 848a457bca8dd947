/* Writes one file collectively and reads it independently, with MPI-IO; writes one more file per
 * process. */
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 16 };

int main(int argc, char **argv) {
  int rank, size, sum = 0, numbers[COUNT];
  char name[32];
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < COUNT; i++)
    numbers[i] = rank;
  MPI_File_open(MPI_COMM_WORLD, "shared.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  MPI_Offset mine = (MPI_Offset)(rank * sizeof(numbers));
  MPI_Offset next = (MPI_Offset)((rank + 1) % size * sizeof(numbers));
  MPI_File_write_at_all(file, mine, numbers, COUNT, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, next, numbers, COUNT, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Allreduce(numbers, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  snprintf(name, sizeof(name), "rank-%d.txt", rank);
  FILE *own = fopen(name, "w");
  fprintf(own, "%d\n", numbers[0]);
  fclose(own);
  if (rank == 0) printf("%d\n", sum);
  MPI_Finalize();
  return 0;
}
