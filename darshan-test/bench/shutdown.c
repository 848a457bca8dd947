/* A rank that opens, writes and closes its own files and files that all ranks share: shutdown
 * FOLDER SHARED OWN. The numbers are of files. The runtime prints the cost of its end.
 *
 * All ranks sleep until a common time and then start their end. A barrier would distort the
 * measurement: if there are more ranks than processors, some leave it 40 ms after others. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Writes 64 bytes to a file at an offset of this rank. Returns whether it failed. */
static int write_one(const char *path, int rank) {
  int fd = open(path, O_RDWR | O_CREAT, 0644);
  ssize_t written = pwrite(fd, path, 64, 64 * (off_t)rank);
  return close(fd) || written != 64;
}

/* Sleeps until a time that all ranks have in common. Returns whether it failed. */
static int sleep_together(void) {
  enum { NS_PER_SECOND = 1000000000, LEAD = 300000000 };
  long moment[2]; /* rank 0's value is used */
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  moment[0] = until.tv_sec + (until.tv_nsec + LEAD) / NS_PER_SECOND;
  moment[1] = (until.tv_nsec + LEAD) % NS_PER_SECOND;
  int failed = MPI_Bcast(moment, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  until = (struct timespec){moment[0], moment[1]};
  return failed || clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv) {
  char path[4096] = "";
  int rank, failed = argc != 4;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; !failed && i < atoi(argv[2]); i++) {
    snprintf(path, sizeof(path), "%s/shared-%d", argv[1], i);
    failed = write_one(path, rank);
  }
  for (int i = 0; !failed && i < atoi(argv[3]); i++) {
    snprintf(path, sizeof(path), "%s/own-%d-%d", argv[1], rank, i);
    failed = write_one(path, rank);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  failed |= sleep_together();
  MPI_Finalize();
  return failed;
}
