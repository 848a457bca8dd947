/* An MPI program. Each rank writes the file FOLDER/rank-N of its own and its block of the file
 * NAME, which all ranks write: ranks FOLDER NAME. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4000 };

int main(int argc, char **argv) {
  int rank, bad = 0;
  char name[4096], block[BLOCK];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  memset(block, 'a' + rank, sizeof(block));
  snprintf(name, sizeof(name), "%s/rank-%d", argv[1], rank);
  int own = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  snprintf(name, sizeof(name), "%s/%s", argv[1], argv[2]);
  int common = open(name, O_WRONLY | O_CREAT, 0644);
  for (int i = 0; i < 3; i++)
    bad |= write(own, block, sizeof(block)) != BLOCK;
  bad |= pwrite(common, block, sizeof(block), (off_t)rank * BLOCK) != BLOCK;
  close(own);
  close(common);
  MPI_Barrier(MPI_COMM_WORLD);
  int again = open(name, O_RDONLY);
  bad |= pread(again, block, sizeof(block), 0) != BLOCK;
  close(again);
  MPI_Finalize();
  return bad;
}
