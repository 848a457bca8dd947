/* The few declarations of MPI's standard ABI that its stand-in needs. */
#ifndef TEST_ABI_H
#define TEST_ABI_H

typedef struct MPI_ABI_Comm *MPI_Comm;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)

int MPI_Init(int *argc, char ***argv);
int PMPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int PMPI_Finalize(void);
int MPI_Abi_get_version(int *major, int *minor);
int PMPI_Abi_get_version(int *major, int *minor);
int MPI_Get_library_version(char *text, int *length);
int PMPI_Get_library_version(char *text, int *length);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int PMPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int PMPI_Comm_size(MPI_Comm comm, int *size);

#endif
