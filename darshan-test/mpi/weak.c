/* A library that looks up functions of MPI by weak references, and prints 1 for each that exists,
 * else 0. */
#include <stdio.h>

#define ASK(name)                                                                                  \
  extern int name(void) __attribute__((weak));                                                     \
  static void print_##name(void) {                                                                 \
    printf("weak %s %d\n", #name, name != NULL);                                                   \
  }
#define NAMES(USE)                                                                                 \
  USE(MPI_Init)                                                                                    \
  USE(PMPI_Init)                                                                                   \
  USE(MPI_File_open)                                                                               \
  USE(MPI_File_write_at_c)                                                                         \
  USE(MPI_Allreduce_c)                                                                             \
  USE(PMPI_Allreduce_c)                                                                            \
  USE(MPI_Session_init) USE(MPI_Send) USE(MPI_Wait) USE(MPI_Alltoallw_c) USE(MPI_Session_finalize)
NAMES(ASK)

#define PRINT(name) print_##name();
void print_weak(void);
void print_weak(void) {
  NAMES(PRINT)
}
