/* A job that starts another job by MPI_Comm_spawn: spawn FOLDER CHILDREN. Parents and children
 * write into a file of their MPI_COMM_WORLD, each rank at its own offset, and each into its own
 * file. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 1000 };

/* Writes n bytes at an offset to FOLDER/WORLD.NAME. world: "parents" or "children". */
static void put(const char *folder, const char *world, const char *name, off_t at, size_t n) {
  char path[4096], bytes[PART];
  snprintf(path, sizeof(path), "%s/%s.%s", folder, world, name);
  int fd = open(path, O_CREAT | O_WRONLY, 0644);
  memset(bytes, 'x', sizeof(bytes));
  if (fd < 0 || pwrite(fd, bytes, n, at) != (ssize_t)n) abort();
  close(fd);
}

int main(int argc, char **argv) {
  MPI_Comm parent, others = MPI_COMM_NULL;
  char name[32];
  int rank;
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *world = parent == MPI_COMM_NULL ? "parents" : "children";
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[0], argv + 1, atoi(argv[2]), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  else
    others = parent;
  put(argv[1], world, "together", (off_t)rank * PART, (size_t)(100 + rank));
  snprintf(name, sizeof(name), "own.%d", rank);
  put(argv[1], world, name, 0, (size_t)(10 + rank));
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
