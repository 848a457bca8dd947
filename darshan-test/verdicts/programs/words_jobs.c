/* Jobs for which the report once printed a wrong sentence: words_jobs CASE [cured]. */
#include "job.h"

#include <fcntl.h>
#include <unistd.h>

static int rank, ranks;
static char room[8 << 20];

/* Writes 64 KiB of each rank with each collective call (cured: all with one call), then reads the
 * first half back independently. */
static void written_and_checked(bool cured) {
  enum { STEPS = 40, PIECE = 64 << 10 };
  MPI_File file;
  must(
      !MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      "data");
  MPI_Offset mine = (MPI_Offset)rank * STEPS * PIECE;
  for (int i = 0; i < (cured ? 1 : STEPS); i++) {
    int size = cured ? STEPS * PIECE : PIECE;
    MPI_File_write_at_all(file, mine + (MPI_Offset)i * PIECE, room, size, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < STEPS / 2; i++)
    MPI_File_read_at(file, mine + (MPI_Offset)i * PIECE, room, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Each rank appends lines to one log and flushes each line; cured: it flushes when the buffer is
 * full. */
static void log_by_lines(bool cured) {
  FILE *log = fopen("log", "a");
  must(log != NULL, "log");
  if (!cured) setvbuf(log, NULL, _IOLBF, 4096);
  for (int i = 0; i < 1200; i++)
    fprintf(log, "rank %d of %d: step %d is done\n", rank, ranks, i);
  must(fclose(log) == 0, "log");
}

/* Appends lines like log_by_lines, without a stream. */
static void log_by_writes(bool cured) {
  int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644), used = 0;
  must(fd >= 0, "log");
  for (int i = 0; i < 1200; i++) {
    used += sprintf(room + used, "rank %d of %d: step %d is done\n", rank, ranks, i);
    if (cured && i < 1199) continue;
    must(write(fd, room, used) == used, "log");
    used = 0;
  }
  close(fd);
}

/* Each rank reads its own file in small pieces. */
static void small_reads(bool cured) {
  char name[40];
  snprintf(name, sizeof name, "part.%d", rank);
  int fd = open(name, O_RDWR | O_CREAT, 0644), size = cured ? 1 << 20 : 100;
  must(fd >= 0 && ftruncate(fd, 1 << 20) == 0, name);
  for (int left = 3000 * 100; left > 0; left -= size)
    must(read(fd, room, size) > 0, name);
  close(fd);
}

/* Each rank appends records at the shared file pointer. */
static void shared_pointer(bool cured) {
  enum { STEPS = 1500, SIZE = 100 };
  MPI_File file;
  must(!MPI_File_open(MPI_COMM_WORLD, "log", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &file),
       "log");
  if (cured)
    MPI_File_write_at_all(file, (MPI_Offset)rank * STEPS * SIZE, room, STEPS * SIZE, MPI_BYTE,
                          MPI_STATUS_IGNORE);
  for (int i = 0; !cured && i < STEPS; i++)
    MPI_File_write_shared(file, room, SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Each rank appends a few large results at the shared file pointer. cured: unused. */
static void large_at_pointer(bool cured) {
  MPI_File file;
  (void)cured;
  must(!MPI_File_open(MPI_COMM_WORLD, "log", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                      &file),
       "log");
  for (int i = 0; i < 4; i++)
    MPI_File_write_shared(file, room, sizeof room, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Every rank reads the whole input; cured: one rank reads it in one piece and sends it to the
 * others. */
static void read_by_all(bool cured) {
  for (int i = 0; i < (cured ? 1 : 6); i++) {
    int fd = cured && rank ? -1 : open("input", O_RDONLY);
    for (int j = 0; fd >= 0 && !cured && j < 2048; j++)
      must(read(fd, room + j * 4096, 4096) == 4096, "read");
    if (fd >= 0 && cured) must(read(fd, room, 8 << 20) == 8 << 20, "read");
    if (fd >= 0) close(fd);
  }
  if (cured) MPI_Bcast(room, 8 << 20, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* Writes every n-th piece of a file through a view, with one independent call: pieces of 8 bytes
 * (cured: an exchange, and a contiguous write), or of 1 MiB. */
static void view(size_t pieces, size_t size, bool cured) {
  MPI_File file;
  MPI_Datatype type;
  int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
  must(!MPI_File_open(MPI_COMM_WORLD, "table", mode, MPI_INFO_NULL, &file), "table");
  if (cured) {
    int part = (int)(pieces * size);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, room, part / ranks, MPI_BYTE, MPI_COMM_WORLD);
    MPI_File_write_at(file, (MPI_Offset)rank * part, room, part, MPI_BYTE, MPI_STATUS_IGNORE);
  } else {
    MPI_Type_vector((int)pieces, (int)size, (int)size * ranks, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, (MPI_Offset)(rank * size), MPI_BYTE, type, "native", MPI_INFO_NULL);
    /* blame: cyclic-view */
    MPI_File_write(file, room, (int)(pieces * size), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
  MPI_File_close(&file);
}

static void cyclic_view(bool cured) {
  view(40000, 8, cured);
}

static void view_of_blocks(bool cured) {
  (void)cured;
  view(8, 1 << 20, false);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"written-and-checked", written_and_checked},
      {"log-by-lines", log_by_lines},
      {"log-by-writes", log_by_writes},
      {"small-reads", small_reads},
      {"read-by-all", read_by_all},
      {"shared-pointer", shared_pointer},
      {"large-at-pointer", large_at_pointer},
      {"cyclic-view", cyclic_view},
      {"view-of-blocks", view_of_blocks},
      {NULL, NULL},
  };
  return run_job(argc, argv, cases, &rank, &ranks);
}
