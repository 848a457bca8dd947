/* Jobs that suffer from properties of a parallel file system: locks, blocks, hosts. */
#include "job.h"

#include <fcntl.h>
#include <unistd.h>

static int rank, ranks;
static char room[8 << 20];
enum { WRITING = MPI_MODE_CREATE | MPI_MODE_RDWR };

/* Writes a mesh through MPI-IO, and particles into the program's own file, whose blocks are not
 * aligned to those of the file system. */
static void odd_blocks(bool cured) {
  enum { SIZE = 128 << 10, NUMBER = 300 };
  MPI_File mesh;
  must(!MPI_File_open(MPI_COMM_WORLD, "mesh", WRITING, MPI_INFO_NULL, &mesh), "mesh");
  MPI_File_write_at_all(mesh, (MPI_Offset)rank << 20, room, 1 << 20, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&mesh);
  off_t size = cured ? SIZE : SIZE - 1000;
  int fd = open("particles", O_CREAT | O_WRONLY, 0644);
  must(fd >= 0, "particles");
  for (int i = 0; i < NUMBER; i++)
    must(pwrite(fd, room, (size_t)size, ((off_t)rank * NUMBER + i) * size) == size, "pwrite");
  close(fd);
}

/* Uses atomic mode although ranks do not write to the same bytes: each call takes a lock. */
static void atomic(bool cured) {
  enum { SIZE = 64 << 10, NUMBER = 200 };
  MPI_File file;
  must(!MPI_File_open(MPI_COMM_WORLD, "mesh", WRITING, MPI_INFO_NULL, &file), "mesh");
  MPI_File_set_atomicity(file, !cured);
  for (int i = 0; i < NUMBER; i++)
    MPI_File_write_at(file, ((MPI_Offset)rank * NUMBER + i) * SIZE, room, SIZE, MPI_BYTE,
                      MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Writes one column of each rank's own table, with holes between the values: ROMIO reads and
 * rewrites the bytes between them. */
static void column_of_own(bool cured) {
  enum { PIECES = 1 << 16, SIZE = 32, APART = 512, MOST = 8 << 20 };
  char name[40];
  snprintf(name, sizeof name, "table.%d", rank);
  MPI_File file;
  MPI_Datatype type;
  must(!MPI_File_open(MPI_COMM_SELF, name, WRITING, MPI_INFO_NULL, &file), name);
  MPI_Type_vector(PIECES, SIZE, cured ? SIZE : APART, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  MPI_File_write_at(file, (MPI_Offset)PIECES * (cured ? SIZE : APART), room, 1, MPI_BYTE,
                    MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
  must(PIECES * SIZE <= MOST, "room");
  MPI_File_write_at(file, 0, room, PIECES * SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
  MPI_File_close(&file);
}

/* Sets a hint that suits a small machine: one rank on one host writes for all. */
static void one_aggregator(bool cured) {
  enum { SIZE = 4 << 20, NUMBER = 6 };
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Info_set(info, "cb_config_list", "*:*");
  char number[16];
  snprintf(number, sizeof number, "%d", cured ? ranks : 1);
  MPI_Info_set(info, "cb_nodes", number);
  MPI_File file;
  must(!MPI_File_open(MPI_COMM_WORLD, "mesh", WRITING, info, &file), "mesh");
  for (int i = 0; i < NUMBER; i++)
    MPI_File_write_at_all(file, ((MPI_Offset)i * ranks + rank) * SIZE, room, SIZE, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Info_free(&info);
}

/* Writes a file for each rank in large blocks; cured: without the slow host. */
static void own_file(bool cured) {
  enum { BLOCKS = 12, SIZE = 1 << 20 };
  char name[40], host[65] = "";
  gethostname(host, sizeof host - 1);
  const char *slow = getenv("SLOW_HOST");
  if (cured && slow && strcmp(host, slow) == 0) return;
  snprintf(name, sizeof name, "out.%d", rank);
  int fd = open(name, O_CREAT | O_WRONLY, 0644);
  must(fd >= 0, name);
  for (int i = 0; i < BLOCKS + (cured ? BLOCKS / (ranks - 1) : 0); i++)
    must(write(fd, room, SIZE) == SIZE, name);
  close(fd);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"odd-blocks", odd_blocks},         {"atomic", atomic},     {"column-of-own", column_of_own},
      {"one-aggregator", one_aggregator}, {"own-file", own_file}, {NULL, NULL},
  };
  return run_job(argc, argv, cases, &rank, &ranks);
}
