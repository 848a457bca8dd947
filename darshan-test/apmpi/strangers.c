/* Spawns two processes of PROGRAM, and makes collective calls with them and with some of its own
 * processes. PROGRAM may be a script that starts this program with other settings. Usage: strangers
 * PROGRAM. */
#include <mpi.h>

enum { TIMES = 20 };

int main(int argc, char **argv) {
  int one = 1, sum = 0, rank, size, bad = 0;
  MPI_Comm parent, between, all, half;
  MPI_Init(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  for (int i = 0; i < TIMES; i++)
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
  bad |= sum != 1;
  between = parent;
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn(argv[1], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                   MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
  MPI_Comm_size(all, &size);
  for (int i = 0; i < TIMES; i++) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
    MPI_Barrier(between);
  }
  bad |= sum != size;
  MPI_Comm_disconnect(&between);
  MPI_Finalize();
  return bad;
}
