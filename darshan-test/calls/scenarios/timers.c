/* Calls that take long enough for a comparison with the test's own clock, and a program that waits
 * while the test reads its journal. */
#include "../calls.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_a_while(void) {
  SYS2(SYS_nanosleep, (&(struct timespec){0, 200000000}), NULL);
}

static void *feed(void *argument) {
  wait_a_while();
  int fd = sys_open(argument, O_WRONLY, 0);
  CHECK(fd >= 0 && sys_write(fd, buffer, 100) == 100);
  return NULL;
}

static void print_seconds(const char *what, double seconds) {
  char text[64];
  snprintf(text, sizeof text, "%s %.6f\n", what, seconds);
  raw_print(1, text);
}

/* Creates a named pipe, which a thread fills slowly, so that reads of it block. Returns its path.
 * */
static const char *slow_pipe(const char *name, pthread_t *feeder) {
  const char *path = in_dir(name);
  CHECK(SYS4(SYS_mknodat, AT_FDCWD, path, S_IFIFO | 0600, 0) == 0);
  CHECK(pthread_create(feeder, NULL, feed, (void *)path) == 0);
  return path;
}

static void slow_read(void) {
  pthread_t feeder;
  int fd = open(slow_pipe("pipe", &feeder), O_RDWR);
  CHECK(fd >= 0);
  double start = now();
  CHECK(read(fd, buffer, 100) == 100);
  print_seconds("POSIX_F_READ_TIME", now() - start);
  CHECK(pthread_join(feeder, NULL) == 0);
}

static void slow_fread(void) {
  pthread_t feeder;
  FILE *stream = fopen(slow_pipe("stream", &feeder), "r+");
  CHECK(stream != NULL);
  double start = now();
  CHECK(fread(buffer, 100, 1, stream) == 1);
  print_seconds("STDIO_F_READ_TIME", now() - start);
  CHECK(pthread_join(feeder, NULL) == 0);
}

/* Waits by fcntl for a lock that a child holds for a while, by calls that the runtime does not see.
 */
static void slow_lock(void) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int fd = open(in_dir("locked"), O_CREAT | O_RDWR, 0644), ends[2];
  CHECK(fd >= 0 && SYS2(SYS_pipe2, ends, 0) == 0);
  pid_t child = fork();
  if (child == 0) {
    SYS3(SYS_fcntl, fd, F_SETLK, &lock);
    sys_write(ends[1], "x", 1);
    wait_a_while();
    for (;;)
      SYS1(SYS_exit_group, 0);
  }
  char ready;
  CHECK(sys_read(ends[0], &ready, 1) == 1);
  double start = now();
  CHECK(fcntl(fd, F_SETLKW, &lock) == 0);
  print_seconds("POSIX_EXT_F_LOCK_TIME", now() - start);
  reap(child, 0);
}

/* Makes slow calls, and prints the duration of each. */
SPECIAL(slow_calls) {
  slow_read();
  slow_fread();
  slow_lock();
}

/* Four threads wait in the same file at the same time; the time counts once. */
static int pipe_fd;

static void *read_one(void *argument) {
  char byte;
  (void)argument;
  CHECK(read(pipe_fd, &byte, 1) == 1);
  return NULL;
}

SPECIAL(overlapping_reads) {
  pthread_t feeder, readers[4];
  pipe_fd = open(slow_pipe("pipe", &feeder), O_RDWR);
  CHECK(pipe_fd >= 0);
  double start = now();
  for (int i = 0; i < 4; i++)
    CHECK(pthread_create(&readers[i], NULL, read_one, NULL) == 0);
  for (int i = 0; i < 4; i++)
    CHECK(pthread_join(readers[i], NULL) == 0);
  print_seconds("POSIX_F_READ_TIME", now() - start);
  CHECK(pthread_join(feeder, NULL) == 0);
}

/* Does some I/O, prints a line and waits for input; the test reads its journal meanwhile. */
SPECIAL(wait_to_be_looked_at) {
  const char *path = in_dir("file");
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  model_open(path, 0644);
  for (int i = 0; i < 50; i++) {
    CHECK(write(fd, buffer, 100) == 100);
    model_write(path, 100, buffer);
  }
  finish();
  raw_print(1, "ready\n");
  char byte;
  CHECK(sys_read(0, &byte, 1) == 1);
}
