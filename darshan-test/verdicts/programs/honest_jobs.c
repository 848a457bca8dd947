/* MPI jobs without a problem, as users write them, written after the rules were finished. */
#include "case.h"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

enum { MIB = 1 << 20, WRITING = MPI_MODE_CREATE | MPI_MODE_WRONLY };
static int rank, ranks;
static char room[8 * MIB];

static MPI_File opened(MPI_Comm who, const char *name, int mode) {
  MPI_File file;
  must(!MPI_File_open(who, name, mode, MPI_INFO_NULL, &file), name);
  return file;
}

/* Each two ranks write a file together, as if they were a node. cured: unused. */
static void file_per_node(bool cured) {
  (void)cured;
  MPI_Comm node;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &node);
  char name[32];
  snprintf(name, sizeof name, "node.%d", rank / 2);
  MPI_File file = opened(node, name, WRITING);
  for (int i = 0; i < 4; i++)
    MPI_File_write_at_all(file, ((MPI_Offset)i * 2 + rank % 2) * 4 * MIB, room, 4 * MIB, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Comm_free(&node);
}

/* One process reads the settings for all; each process computes; one process writes the result.
 * cured: unused. */
static void settings_for_all(bool cured) {
  (void)cured;
  char text[4096];
  double mine = rank, sum;
  if (rank == 0) {
    int fd = open("input", O_RDONLY);
    must(fd >= 0 && read(fd, text, sizeof text) == sizeof text, "input");
    close(fd);
  }
  MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
  usleep(500000);
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank) return;
  FILE *result = fopen("result", "w");
  must(result != NULL, "result");
  fprintf(result, "%g\n", sum);
  must(fclose(result) == 0, "result");
}

/* Each rank reads the first 4 KiB of a file of settings, as Fortran programs read a namelist.
 * cured: unused. */
static void settings_by_all(bool cured) {
  (void)cured;
  char text[4096];
  FILE *file = fopen("input", "r");
  must(file != NULL && fread(text, sizeof text, 1, file) == 1, "input");
  fclose(file);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(500000);
}

/* Writes a mesh in two dimensions, a block of columns of each rank, with one collective call.
 * cured: unused. */
static void mesh(bool cured) {
  (void)cured;
  int whole[2] = {1024, 4 * 2048}, part[2] = {1024, 2048}, begin[2] = {0, rank * 2048};
  MPI_Datatype block;
  MPI_Type_create_subarray(2, whole, part, begin, MPI_ORDER_C, MPI_INT, &block);
  MPI_Type_commit(&block);
  MPI_File file = opened(MPI_COMM_WORLD, "mesh", WRITING);
  MPI_File_set_view(file, 0, MPI_INT, block, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, room, 1024 * 2048, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&block);
}

/* Each rank writes its checkpoint to its own file, and syncs it once. cured: unused. */
static void checkpoint(bool cured) {
  (void)cured;
  char name[32];
  snprintf(name, sizeof name, "state.%d", rank);
  usleep(300000);
  int fd = open(name, O_CREAT | O_WRONLY, 0644);
  must(fd >= 0 && write(fd, room, sizeof room) == (ssize_t)sizeof room, name);
  must(fsync(fd) == 0 && close(fd) == 0, name);
}

/* Each rank reads its own parts of a large file. cured: unused. */
static void read_parts(bool cured) {
  (void)cured;
  MPI_File file = opened(MPI_COMM_WORLD, "input", MPI_MODE_RDONLY);
  for (int i = 0; i < 2; i++)
    MPI_File_read_at_all(file, ((MPI_Offset)i * ranks + rank) * 8 * MIB, room, 8 * MIB, MPI_BYTE,
                         MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Overlaps writes with computing. cured: unused. */
static void overlapped(bool cured) {
  (void)cured;
  MPI_File file = opened(MPI_COMM_WORLD, "result", WRITING);
  for (int i = 0; i < 3; i++) {
    MPI_Request request;
    MPI_File_iwrite_at(file, ((MPI_Offset)i * ranks + rank) * 8 * MIB, room, 8 * MIB, MPI_BYTE,
                       &request);
    usleep(150000);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"file-per-node", file_per_node},     {"settings-for-all", settings_for_all},
      {"settings-by-all", settings_by_all}, {"mesh", mesh},
      {"checkpoint", checkpoint},           {"read-parts", read_parts},
      {"overlapped", overlapped},           {NULL, NULL},
  };
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int status = run_case(argc, argv, cases);
  MPI_Finalize();
  return status;
}
