/* One call of each kind of wrapper around MPI-IO, in a job of one process. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "target.h"

static MPI_File file;
static char memory[100];

static void good(int result) {
  if (result != MPI_SUCCESS) _exit(77);
}

void target_begin(void) {
  good(MPI_Init(NULL, NULL));
  good(MPI_File_open(MPI_COMM_SELF, "shared", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                     &file));
}

void target_end(void) {
  for (int i = 0; i < 3; i++)
    good(MPI_File_write_at(file, 1000 + 10 * i, memory, 10, MPI_BYTE, MPI_STATUS_IGNORE));
  good(MPI_Finalize());
}

static void call_write_at(void) {
  good(MPI_File_write_at(file, 100, memory, 70, MPI_BYTE, MPI_STATUS_IGNORE));
}
static void call_read_at(void) {
  good(MPI_File_read_at(file, 0, memory, 70, MPI_BYTE, MPI_STATUS_IGNORE));
}
static void call_open(void) {
  MPI_File other;
  good(MPI_File_open(MPI_COMM_SELF, "other", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                     &other));
}

/* Makes a collective call that APMPI counts; it is the program's first such call. */
static void call_allreduce(void) {
  int one = 1, sum = 0;
  good(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF));
}
static void call_sendrecv(void) {
  int one = 1, other = 0;
  good(MPI_Sendrecv(&one, 1, MPI_INT, 0, 3, &other, 1, MPI_INT, 0, 3, MPI_COMM_SELF,
                    MPI_STATUS_IGNORE));
}
static void have_talked(void) {
  call_sendrecv();
}

const struct kind target_kinds[] = {
    {"MPI_Allreduce", NULL, call_allreduce, 0},    {"MPI_Sendrecv", have_talked, call_sendrecv, 0},
    {"MPI_File_write_at", NULL, call_write_at, 0}, {"MPI_File_read_at", NULL, call_read_at, 0},
    {"MPI_File_open", NULL, call_open, 0},         {NULL, NULL, NULL, 0}};
