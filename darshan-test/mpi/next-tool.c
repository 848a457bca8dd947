/* A tool to preload whose wrappers call the next function by RTLD_NEXT, not by its PMPI_ name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

int MPI_Init(int *argc, char ***argv) {
  int (*next)(int *, char ***) = (int (*)(int *, char ***))dlsym(RTLD_NEXT, "MPI_Init");
  return next(argc, argv);
}

int MPI_File_write_at(MPI_File file, MPI_Offset at, const void *bytes, int n, MPI_Datatype type,
                      MPI_Status *status) {
  int (*next)(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *) =
      (int (*)(MPI_File, MPI_Offset, const void *, int, MPI_Datatype, MPI_Status *))dlsym(
          RTLD_NEXT, "MPI_File_write_at");
  return next(file, at, bytes, n, type, status);
}
