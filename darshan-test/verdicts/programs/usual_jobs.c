/* Mistakes of MPI jobs that users ask about, with their fixes: usual_jobs CASE [cured]. */
#include "job.h"

#include <fcntl.h>
#include <unistd.h>

static int rank, ranks;
static char room[8 << 20];
enum { WRITING = MPI_MODE_CREATE | MPI_MODE_WRONLY };

static MPI_File opened(MPI_Comm who, const char *name, int mode) {
  MPI_File file;
  must(!MPI_File_open(who, name, mode, MPI_INFO_NULL, &file), name);
  return file;
}

/* Writes lines in the order of the ranks, with a call for each line; cured: with one call. */
static void ordered_lines(bool cured) {
  enum { LINES = 80, SIZE = 60 };
  MPI_File file = opened(MPI_COMM_WORLD, "lines", WRITING);
  for (int i = 0; i < (cured ? 1 : LINES); i++)
    /* blame: ordered-lines */
    MPI_File_write_ordered(file, room, cured ? LINES * SIZE : SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* Each rank reads the number of a record, then its values, at its own file pointer. Cured: it reads
 * all its records with one collective call. */
static void number_and_values(bool cured) {
  enum { RECORDS = 800, SIZE = 256 };
  MPI_File file = opened(MPI_COMM_WORLD, "input", MPI_MODE_RDONLY);
  MPI_File_seek(file, (MPI_Offset)rank * RECORDS * SIZE, MPI_SEEK_SET);
  if (cured) MPI_File_read_all(file, room, RECORDS * SIZE, MPI_BYTE, MPI_STATUS_IGNORE);
  for (int i = 0; i < RECORDS && !cured; i++) {
    MPI_File_read(file, room, 4, MPI_BYTE, MPI_STATUS_IGNORE);        /* blame: number-and-values */
    MPI_File_read(file, room, SIZE - 4, MPI_BYTE, MPI_STATUS_IGNORE); /* blame: number-and-values */
  }
  MPI_File_close(&file);
}

/* Each rank opens the common log for each of its lines. */
static void log_of_all(bool cured) {
  int fd = -1;
  for (int i = 0; i < 250; i++) {
    if (fd < 0) fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644); /* blame: log-of-all */
    must(fd >= 0 && write(fd, room, cured ? 250 * 40 : 40) > 0, "log");
    if (cured) break;
    close(fd);
    fd = -1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank reads the whole table of numbers, as text. */
static void table_by_all(bool cured) {
  FILE *file = cured && rank ? NULL : fopen("input", "r");
  long sum = 0, number;
  while (file && fscanf(file, "%ld some words on a line", &number) == 1) /* blame: table-by-all */
    sum += number;
  if (file) fclose(file);
  MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"ordered-lines", ordered_lines},
      {"number-and-values", number_and_values},
      {"log-of-all", log_of_all},
      {"table-by-all", table_by_all},
      {NULL, NULL},
  };
  return run_job(argc, argv, cases, &rank, &ranks);
}
