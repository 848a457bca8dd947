/* Calls every function of MPI-IO on separate files in FOLDER, and writes lines about the calls to
 * FOLDER/trace.RANK. Usage: main FOLDER. */
#include "program.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rank, ranks;
char data[ROOM];
static FILE *lines;

void check(int result, const char *call) {
  if (result == MPI_SUCCESS) return;
  fprintf(stderr, "%d: %s failed: %d\n", rank, call, result);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void note(const struct target *target, const char *format, ...) {
  va_list list;
  fprintf(lines, "%s ", target->name);
  va_start(list, format);
  vfprintf(lines, format, list);
  va_end(list);
  fputc('\n', lines);
}

void covered(const char *function) {
  fprintf(lines, "- covered %s\n", function);
}

void fill(const char *name) {
  if (rank == 0) {
    int fd = open(name, O_CREAT | O_RDWR, 0644);
    for (int i = 0; i < ranks; i++)
      if (fd < 0 || write(fd, data, ROOM) != ROOM) MPI_Abort(MPI_COMM_WORLD, 1);
    close(fd);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void open_file(struct target *target, int mode, int classic) {
  CHECK(MPI_File_open(MPI_COMM_WORLD, target->name, mode, MPI_INFO_NULL, &target->fh));
  note(target, "open %d %d 0", ranks, classic);
}

void close_file(struct target *target) {
  CHECK(MPI_File_close(&target->fh));
  note(target, "close");
}

void view_of_ints(struct target *target, MPI_Offset displacement) {
  CHECK(MPI_File_set_view(target->fh, displacement, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  note(target, "view 0");
}

int main(int argc, char **argv) {
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(name, sizeof(name), "trace.%d", rank);
  if (argc != 2 || chdir(argv[1]) != 0 || !(lines = fopen(name, "w"))) {
    fprintf(stderr, "usage: program FOLDER\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  setvbuf(lines, NULL, _IOLBF, 0); /* if a call hangs, the lines show which */
  memset(data, 'a' + rank, sizeof(data));
  all_transfers();
  all_requests();
  all_metadata();
  fclose(lines);
  MPI_Finalize();
  return 0;
}
