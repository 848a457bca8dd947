/* Every rank except the first writes 3 bytes to own.RANK in each run of a signal handler that the
 * runtime does not know, while it writes to data.RANK. Argument: a folder. The first rank prints
 * how often all handlers together ran. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>

#include "../harm/raw-handler.h"

static int own;
static volatile long calls;

static void handler(int signal) {
  (void)signal;
  calls++;
  if (write(own, "abc", 3) != 3) _exit(3);
}

int main(int argc, char **argv) {
  char name[4096];
  int rank, data;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS || argc != 2) return 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof(name), "%s/own.%d", argv[1], rank);
  own = open(name, O_RDWR | O_CREAT, 0600);
  snprintf(name, sizeof(name), "%s/data.%d", argv[1], rank);
  data = open(name, O_RDWR | O_CREAT, 0600);
  if (rank > 0) {
    if (raw_alarms_begin(handler)) return 5;
    for (int i = 0; i < 100000; i++)
      if (pwrite(data, "0123456789", 10, 0) != 10) return 4;
    raw_alarms_end();
  }
  long all = calls;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld\n", all);
  return MPI_Finalize();
}
