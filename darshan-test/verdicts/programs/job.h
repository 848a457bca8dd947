/* Main function of a case of the corpus that is an MPI job. */
#ifndef VERDICTS_JOB_H
#define VERDICTS_JOB_H
#include "case.h"

#include <mpi.h>

/* Runs a case in all ranks; returns the exit status. Writes the seconds of the case to the file
 * CASE_SECONDS, if it is set, because starting a job takes longer than most cases. */
static inline int run_job(int argc, char **argv, const struct Case *cases, int *rank, int *ranks) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, ranks);
  const char *file = getenv("CASE_SECONDS");
  if (file) MPI_Barrier(MPI_COMM_WORLD);
  double begun = MPI_Wtime();
  int status = run_case(argc, argv, cases);
  if (file) MPI_Barrier(MPI_COMM_WORLD);
  if (file && *rank == 0) {
    FILE *seconds = fopen(file, "w");
    must(seconds != NULL && fprintf(seconds, "%f\n", MPI_Wtime() - begun) > 0, file);
    fclose(seconds);
  }
  MPI_Finalize();
  return status;
}
#endif
