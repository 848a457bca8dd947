/* A tool other than Darshan, to preload: counts calls of MPI and prints the counts in
 * MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>

static int inits, barriers, writes;

int MPI_Init(int *argc, char ***argv) {
  inits++;
  return PMPI_Init(argc, argv);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  inits++;
  return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Barrier(MPI_Comm comm) {
  barriers++;
  return PMPI_Barrier(comm);
}

int MPI_File_write_at(MPI_File file, MPI_Offset at, const void *bytes, int n, MPI_Datatype type,
                      MPI_Status *status) {
  writes++;
  return PMPI_File_write_at(file, at, bytes, n, type, status);
}

int MPI_Finalize(void) {
  printf("tool: %d inits, %d barriers, %d writes\n", inits, barriers, writes);
  fflush(stdout);
  return PMPI_Finalize();
}
