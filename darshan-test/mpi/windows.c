/* Makes an MPI library open internal files during the run: shared memory of its ranks, and a shared
 * file pointer. Writes 100 bytes per rank to the given file: windows FILE. */
#include <mpi.h>

int main(int count, char **arguments) {
  char *memory, bytes[100] = {0};
  MPI_Win window;
  MPI_File file;
  MPI_Init(&count, &arguments);
  MPI_Win_allocate_shared(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memory[0] = 1;
  MPI_Win_free(&window);
  MPI_File_open(MPI_COMM_WORLD, arguments[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                &file);
  MPI_File_write_shared(file, bytes, sizeof(bytes), MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
