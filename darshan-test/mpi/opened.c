/* A library with references to MPI that a program opens: test_habits.py. */
#include <mpi.h>
#include <stddef.h>

int begin(void);
int begin(void) {
  return MPI_Init(NULL, NULL);
}

int end(void);
int end(void) {
  return MPI_Finalize();
}
