/* Makes the calls of languages.F90 in C, in FOLDER. Usage: languages FOLDER. */
#include <mpi.h>
#include <stdio.h>

enum { NUMBERS = 1000, MOST = 4096 };

static int data[NUMBERS], rank;
static MPI_Offset mine; /* in etypes */

/* Writes and reads with each kind of call. */
static void transfers(MPI_File fh) {
  MPI_Status status;
  MPI_Request request;
  MPI_File_write_at(fh, mine, data, NUMBERS, MPI_INT, &status);
  MPI_File_write_at_all(fh, mine, data, 300, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(fh, mine, MPI_SEEK_SET);
  MPI_File_write(fh, data, 20, MPI_INT, &status);
  MPI_File_read_all(fh, data, 10, MPI_INT, &status);
  MPI_File_iwrite_at(fh, mine, data, 7, MPI_INT, &request);
  MPI_Wait(&request, &status);
  MPI_File_iread_at(fh, mine, data, 9, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_read_at_all_begin(fh, mine, data, 11, MPI_INT);
  MPI_File_read_at_all_end(fh, data, &status);
  MPI_File_write_ordered(fh, data, 2, MPI_INT, &status);
  MPI_File_sync(fh);
}

int main(int argc, char **argv) {
  char name[MOST];
  MPI_Info info;
  MPI_File fh;
  MPI_Datatype pairs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mine = 5000 * rank;
  snprintf(name, sizeof(name), "%s/shared", argv[1]);
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh);
  MPI_File_set_view(fh, 64, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  transfers(fh);
  MPI_File_close(&fh);
  snprintf(name, sizeof(name), "%s/own-%d", argv[1], rank);
  MPI_Type_vector(30, 2, 4, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
  MPI_File_set_size(fh, 100);
  MPI_File_write_at(fh, 0, data, 2 + rank, pairs, MPI_STATUS_IGNORE);
  MPI_File_close(&fh);
  MPI_Type_free(&pairs);
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
