/* Jobs of which the ranks write one file: in_common_jobs CASE [cured]. */
#include "job.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
enum { STEPS = 300, LINES = 20, WIDTH = 64, SIZE = LINES * WIDTH };

/* Fills lines of a step, as a program does that formats its numbers. */
static void fill(char *text, int step) {
  for (int i = 0; i < LINES; i++) {
    char *line = text + (size_t)i * WIDTH;
    snprintf(line, WIDTH, "%8d%8d%8d%38.10f", step, rank, i, step / 7.0 + i);
    line[WIDTH - 1] = '\n';
  }
}

static void append(int step) {
  char text[SIZE];
  int fd = open("profile", O_WRONLY | O_CREAT, 0644); /* blame: token-passed turn-by-barriers */
  must(fd >= 0, "profile");
  lseek(fd, 0, SEEK_END);
  fill(text, step);
  for (int i = 0; i < LINES; i++)
    must(write(fd, text + (size_t)i * WIDTH, WIDTH) == WIDTH, "profile");
  close(fd);
}

/* All ranks write at the same time, each at the offset of its lines. */
static void write_at_once(void) {
  char text[SIZE];
  int fd = open("profile", O_WRONLY | O_CREAT, 0644);
  must(fd >= 0, "profile");
  for (int step = 0; step < STEPS; step++) {
    fill(text, step);
    must(pwrite(fd, text, SIZE, ((off_t)step * ranks + rank) * SIZE) == SIZE, "profile");
  }
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  must(access("profile", R_OK) == 0, "profile");
}

/* The ranks append in turns: each waits for the token of the one before. */
static void token_passed(bool cured) {
  if (cured) {
    write_at_once();
    return;
  }
  for (int step = 0; step < STEPS; step++) {
    int token = step;
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    append(step);
    if (rank < ranks - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  check();
}

/* The ranks append in turns: a barrier separates them. */
static void turn_by_barriers(bool cured) {
  if (cured) {
    write_at_once();
    return;
  }
  for (int step = 0; step < STEPS; step++)
    for (int turn = 0; turn < ranks; turn++) {
      if (turn == rank) append(step);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  check();
}

/* All ranks write at the same time, each to its own offsets, with a barrier at the end. cured:
 * unused. */
static void places_of_each(bool cured) {
  (void)cured;
  write_at_once();
}

/* Each rank has its own file, with a barrier at each step. cured: unused. */
static void file_of_each(bool cured) {
  (void)cured;
  char text[SIZE], name[32];
  snprintf(name, sizeof name, "profile.%d", rank);
  int fd = open(name, O_WRONLY | O_CREAT, 0644);
  must(fd >= 0, name);
  for (int step = 0; step < STEPS; step++) {
    fill(text, step);
    must(write(fd, text, SIZE) == SIZE, name);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  close(fd);
}

int main(int argc, char **argv) {
  static const struct Case cases[] = {
      {"token-passed", token_passed},
      {"turn-by-barriers", turn_by_barriers},
      {"places-of-each", places_of_each},
      {"file-of-each", file_of_each},
      {NULL, NULL},
  };
  return run_job(argc, argv, cases, &rank, &ranks);
}
