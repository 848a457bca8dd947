/* Has 6,000 non-blocking writes of 16 bytes in progress at a time, more than a table of fixed size
 * could hold: many-requests FILE. */
#include <mpi.h>
#include <stdlib.h>
enum { N = 6000, BYTES = 16 };
int main(int argc, char **argv) {
  static char text[BYTES];
  MPI_Request *request = malloc(N * sizeof(*request));
  MPI_File file;
  MPI_Init(&argc, &argv);
  if (MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file))
    return 2;
  for (int i = 0; i < N; i++)
    MPI_File_iwrite_at(file, (MPI_Offset)i * BYTES, text, BYTES, MPI_BYTE, &request[i]);
  MPI_Waitall(N, request, MPI_STATUSES_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
