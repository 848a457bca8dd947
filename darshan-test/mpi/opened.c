/* A library with references to MPI functions, which a program opens by dlopen (test_habits.py). */
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
