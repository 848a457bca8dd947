/* Times independent writes of 64 bytes: mpiio-cost CALLS FOLDER, as an MPI job. Each rank calls
 * MPI_File_write_at CALLS times on its own range of one file. Rank 0 prints nanoseconds of
 * processor time per call, the mean over the ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor-time.h"

enum { BYTES = 64, PLACES = 32 };

static double loop(MPI_File fh, int rank, long calls) {
  char data[BYTES] = "";
  MPI_Offset mine = (MPI_Offset)rank * PLACES * BYTES;
  double start = processor_ns();
  for (long i = 0; i < calls; i++)
    MPI_File_write_at(fh, mine + i % PLACES * BYTES, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
  return (processor_ns() - start) / (double)calls;
}

int main(int argc, char **argv) {
  char name[4096];
  int rank, ranks;
  double own, sum = 0;
  MPI_File fh;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  snprintf(name, sizeof(name), "%s/file", argv[2]);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
  loop(fh, rank, 1000); /* fills pages and caches */
  own = loop(fh, rank, atol(argv[1]));
  MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_File_close(&fh);
  if (rank == 0) printf("%.1f\n", sum / ranks);
  MPI_Finalize();
  return 0;
}
