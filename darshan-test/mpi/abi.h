/* The few declarations of MPI's standard ABI (the binary interface of MPI 5) that the stand-in
 * library and its program need. */
#ifndef TEST_ABI_H
#define TEST_ABI_H

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_File *MPI_File;
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_INFO_NULL ((MPI_Info)0x130)
enum {
  MPI_MODE_APPEND = 1,
  MPI_MODE_CREATE = 2,
  MPI_MODE_DELETE_ON_CLOSE = 4,
  MPI_MODE_EXCL = 8,
  MPI_MODE_RDONLY = 16,
  MPI_MODE_RDWR = 32,
  MPI_MODE_SEQUENTIAL = 64,
  MPI_MODE_UNIQUE_OPEN = 128,
  MPI_MODE_WRONLY = 256
};

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
int MPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *fh);
int PMPI_File_open(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *fh);
int MPI_File_close(MPI_File *fh);
int PMPI_File_close(MPI_File *fh);

#endif
