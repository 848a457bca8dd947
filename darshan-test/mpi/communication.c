/* Calls every communication function that the runtime wraps, and checks the received data:
 * communication WHERE.
 *
 * outside: before an MPI-IO call; inside: within an MPI-IO call, from the error handler of a
 * failing call. At the end, rank 0 prints the number of its calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, TAG = 5 };

static int rank, size, calls;

/* Counts a call. Ends the job with a message if it failed or its data are wrong (right is 0). */
static void check(const char *what, int code, int right) {
  calls++;
  if (code == MPI_SUCCESS && right) return;
  printf("rank %d: %s is wrong\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
/* Calls a function. right: condition on its data. */
#define CHECK(function, args, right)                                                               \
  do {                                                                                             \
    int code_ = function args;                                                                     \
    check(#function, code_, right);                                                                \
  } while (0)

/* Returns the last rank. */
static int others(void) { /* all ranks but the last */
  return size - 1;
}

#include "../apmpi/forms.h" /* the wrapped functions */
#define CALLS calls_small
#include "communication.h"

/* Calls the functions that have no form for large counts. */
static void single_forms(void) {
  MPI_Comm copy, part;
  MPI_Group group;
  MPI_Status status;
  MPI_Message message;
  int n = 0, flag = 0, right = (rank + 1) % size, left = (rank + size - 1) % size;
  CHECK(MPI_Barrier, (MPI_COMM_WORLD), 1);
  CHECK(MPI_Comm_dup, (MPI_COMM_WORLD, &copy), MPI_Comm_size(copy, &n) == 0 && n == size);
  CHECK(MPI_Comm_free, (&copy), copy == MPI_COMM_NULL);
  CHECK(MPI_Comm_dup_with_info, (MPI_COMM_WORLD, MPI_INFO_NULL, &copy),
        MPI_Comm_size(copy, &n) == 0 && n == size);
  CHECK(MPI_Comm_split, (copy, rank % 2, rank, &part),
        MPI_Comm_rank(part, &n) == 0 && n == rank / 2);
  CHECK(MPI_Comm_free, (&part), part == MPI_COMM_NULL);
  CHECK(MPI_Comm_split_type, (copy, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &part),
        MPI_Comm_size(part, &n) == 0 && n == size);
  MPI_Comm_free(&part);
  calls++;
  MPI_Comm_group(copy, &group);
  CHECK(MPI_Comm_create, (copy, group, &part), MPI_Comm_rank(part, &n) == 0 && n == rank);
  MPI_Comm_free(&part);
  calls++;
  CHECK(MPI_Comm_create_group, (copy, group, TAG, &part),
        MPI_Comm_rank(part, &n) == 0 && n == rank);
  MPI_Comm_free(&part);
  MPI_Group_free(&group);
  MPI_Comm_free(&copy);
  calls += 2;
  n = rank;
  MPI_Bsend(&n, 1, MPI_INT, right, TAG, MPI_COMM_WORLD);
  calls++;
  CHECK(MPI_Probe, (left, TAG, MPI_COMM_WORLD, &status), status.MPI_SOURCE == left);
  CHECK(MPI_Iprobe, (left, TAG, MPI_COMM_WORLD, &flag, &status), flag && status.MPI_TAG == TAG);
  CHECK(MPI_Mprobe, (left, TAG, MPI_COMM_WORLD, &message, &status), status.MPI_SOURCE == left);
  CHECK(MPI_Mrecv, (&n, 1, MPI_INT, &message, &status), n == left);
}

static void all_calls(void) {
  single_forms();
  calls_small();
}

static int inside, called;

/* The error handler: makes all calls the first time that it runs. */
static void handler(MPI_File *file, int *code, ...) {
  (void)file;
  (void)code;
  if (inside && !called++) all_calls();
}

int main(int argc, char **argv) {
  static char room[65536];
  MPI_Errhandler errors;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size > MOST_RANKS || size < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  inside = strcmp(argv[1], "inside") == 0;
  MPI_Buffer_attach(room, sizeof(room));
  if (!inside) all_calls();
  MPI_File_create_errhandler(handler, &errors);
  MPI_File_set_errhandler(MPI_FILE_NULL, errors);
  if (MPI_File_open(MPI_COMM_WORLD, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) ==
      MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 4);
  if (rank == 0) printf("calls %d\n", calls);
  MPI_Finalize();
  return 0;
}
