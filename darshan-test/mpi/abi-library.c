/* A stand-in for an MPI library, for one process. It has the standard ABI of MPI 5 or, if
 * STANDIN_NAME is set, pretends to be an unknown library of that name. It ends the program if it
 * receives a communicator that the ABI does not define. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"

/* Returns the name of the unknown library; NULL for the standard ABI. */
static const char *name(void) {
  return getenv("STANDIN_NAME");
}

/* Ends the program if the communicator is not MPI_COMM_WORLD. */
static void must_be_world(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return;
  fprintf(stderr, "stand-in: strange communicator\n");
  abort();
}

/* Defines MPI_x, which calls PMPI_x. */
#define BOTH(x, params, args)                                                                      \
  int MPI_##x params {                                                                             \
    return PMPI_##x args;                                                                          \
  }

int PMPI_Init(int *argc, char ***argv) {
  (void)argc;
  (void)argv;
  return 0;
}
BOTH(Init, (int *argc, char ***argv), (argc, argv))

int PMPI_Finalize(void) {
  return 0;
}
BOTH(Finalize, (void), ())

int PMPI_Abi_get_version(int *major, int *minor) {
  *major = name() ? -1 : 1;
  *minor = name() ? -1 : 0;
  return 0;
}
BOTH(Abi_get_version, (int *major, int *minor), (major, minor))

int PMPI_Get_library_version(char *text, int *length) {
  strcpy(text, name() ? name() : "Standard \t MPI 5.0, built today\nwith care");
  *length = (int)strlen(text);
  return 0;
}
BOTH(Get_library_version, (char *text, int *length), (text, length))

int PMPI_Comm_rank(MPI_Comm comm, int *rank) {
  must_be_world(comm);
  *rank = 0;
  return 0;
}
BOTH(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))

int PMPI_Comm_size(MPI_Comm comm, int *size) {
  must_be_world(comm);
  *size = 1;
  return 0;
}
BOTH(Comm_size, (MPI_Comm comm, int *size), (comm, size))

/* There is no file; the handle is the pointer to the name. */
int PMPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *fh) {
  must_be_world(comm);
  (void)mode;
  (void)info;
  *fh = (MPI_File)(uintptr_t)name;
  return 0;
}
BOTH(File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *fh),
     (comm, name, mode, info, fh))

int PMPI_File_close(MPI_File *fh) {
  *fh = NULL;
  return 0;
}
BOTH(File_close, (MPI_File * fh), (fh))
