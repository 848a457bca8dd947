/* Looks up large-count functions by weak references, as mpi4py does, and calls the functions that
 * exist: large-count FILE COUNT. COUNT is in bytes; the buffer has only 64 bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if MPI_VERSION < 4
int MPI_File_write_at_c(MPI_File, MPI_Offset, const void *, MPI_Count, MPI_Datatype, MPI_Status *);
int MPI_File_iread_at_c(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype, MPI_Request *);
int MPI_Allreduce_c(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Ireduce_scatter_c(const void *, void *, const MPI_Count *, MPI_Datatype, MPI_Op, MPI_Comm,
                          MPI_Request *);
#endif
#pragma weak MPI_File_write_at_c
#pragma weak MPI_File_iread_at_c
#pragma weak MPI_Allreduce_c
#pragma weak MPI_Ireduce_scatter_c

int main(int argc, char **argv) {
  static const char text[64] = "large counts";
  char again[64] = "";
  MPI_File file;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Count count = argc == 3 ? strtoll(argv[2], NULL, 10) : 0;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  printf("begun %d allreduce %d transfers %d\n", MPI_Ireduce_scatter_c != NULL,
         MPI_Allreduce_c != NULL &&
             MPI_Allreduce_c(text, again, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS,
         MPI_File_write_at_c != NULL && MPI_File_iread_at_c != NULL);
  if (MPI_File_write_at_c) {
    int written = MPI_File_write_at_c(file, 0, text, count, MPI_BYTE, MPI_STATUS_IGNORE);
    printf("written %d\n", written == MPI_SUCCESS);
    if (written == MPI_SUCCESS) {
      int begun = MPI_File_iread_at_c(file, 0, again, count, MPI_BYTE, &request);
      if (begun == MPI_SUCCESS) MPI_Wait(&request, MPI_STATUS_IGNORE);
      printf("read %d\n", begun == MPI_SUCCESS && memcmp(text, again, (size_t)count) == 0);
    }
  }
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
