/* Four threads of each rank send messages at the same time, each on its own communicator, while a
 * signal handler interrupts them. Writes down its calls in FOLDER. Usage: threads FOLDER. */
#include "expected.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

enum { THREADS = 4, ROUNDS = 2000, BYTES = 300 };

/* Does nothing; the signal interrupts calls. */
static void tick(int signal) {
  (void)signal;
}

/* Sends and receives messages; the function of a thread. comm_: its communicator. */
static void *talk(void *comm_) {
  MPI_Comm comm = *(MPI_Comm *)comm_;
  char out[BYTES] = "", in[BYTES];
  MPI_Request requests[2];
  for (int i = 0; i < ROUNDS; i++) {
    MPI_Irecv(in, BYTES, MPI_BYTE, 0, 0, comm, &requests[0]);
    MPI_Isend(out, BYTES, MPI_BYTE, 0, 0, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, comm);
  }
  return NULL;
}

int main(int argc, char **argv) {
  int rank, level;
  pthread_t threads[THREADS];
  MPI_Comm comms[THREADS];
  const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
  struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (level != MPI_THREAD_MULTIPLE || argc != 2) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < THREADS; i++)
    MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, talk, &comms[i]);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  setitimer(ITIMER_REAL, &never, NULL);
  for (int i = 0; i < THREADS * ROUNDS; i++) {
    expect("IRECV", BYTES, MPI_SUCCESS);
    expect("ISEND", BYTES, MPI_SUCCESS);
    expect("WAITALL", 0, MPI_SUCCESS);
    expect("ALLREDUCE", 8, MPI_SUCCESS);
  }
  write_expected(argv[1], rank);
  MPI_Finalize();
  return 0;
}
