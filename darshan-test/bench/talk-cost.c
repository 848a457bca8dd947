/* Times MPI calls that need no other rank, so that only their overhead is measured: talk-cost KIND
 * CALLS, as a job of one process. Prints nanoseconds of processor time per call, in the fastest of
 * some loops. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor-time.h"

enum { LOOPS = 10 };

static int number, sum;

/* Sends a message to no rank. */
static void send(void) {
  MPI_Send(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

/* Adds one number over this process alone. */
static void allreduce(void) {
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

/* Waits at a barrier of this process alone. */
static void barrier(void) {
  MPI_Barrier(MPI_COMM_SELF);
}
/* Sends a message to this process itself by MPI_Isend. MPI_Send could wait for its receiver:
 * MPICH's does for any size. */
static void send_recv(void) {
  MPI_Request request;
  MPI_Isend(&number, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(&sum, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Begins to send a message to no rank, and waits for it. */
static void isend_wait(void) {
  MPI_Request request;
  MPI_Isend(&number, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const struct {
  const char *name;
  void (*call)(void);
} kinds[] = {{"send", send},
             {"barrier", barrier},
             {"send-recv", send_recv},
             {"allreduce", allreduce},
             {"isend-wait", isend_wait}};

int main(int argc, char **argv) {
  void (*call)(void) = NULL;
  MPI_Init(&argc, &argv);
  long calls = argc == 3 ? atol(argv[2]) : 0;
  for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (strcmp(kinds[i].name, argv[1]) == 0) call = kinds[i].call;
  if (!call || calls < LOOPS) MPI_Abort(MPI_COMM_WORLD, 2);
  printf("%.2f\n", fastest_loop(call, calls, LOOPS));
  MPI_Finalize();
  return 0;
}
