/* Threads: no operation is lost or counted twice, and a fork in the middle of other threads' I/O
 * does not hang. */
#include "../calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 2000, PIECE = 64 };

struct job {
  pthread_t thread;
  const char *path;
  int fd, number;
  FILE *stream;
  long done;
};

static struct job jobs[THREADS];

static void run_threads(void *(*work)(void *)) {
  for (int i = 0; i < THREADS; i++) {
    jobs[i].number = i;
    CHECK(pthread_create(&jobs[i].thread, NULL, work, &jobs[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(jobs[i].thread, NULL) == 0);
}

static const char *const names[THREADS] = {"0", "1", "2", "3", "4", "5", "6", "7"};

static void *write_own_file(void *argument) {
  struct job *job = argument;
  job->fd = open(job->path, O_CREAT | O_RDWR, 0644);
  CHECK(job->fd >= 0);
  for (int i = 0; i < ROUNDS; i++)
    CHECK(write(job->fd, buffer, PIECE) == PIECE);
  for (int i = 0; i < ROUNDS; i++)
    CHECK(pread(job->fd, buffer + 4096 * (job->number + 1), PIECE, PIECE * i) == PIECE);
  CHECK(close(job->fd) == 0);
  return NULL;
}

SCENARIO(threads_with_own_files) {
  for (int i = 0; i < THREADS; i++)
    jobs[i].path = in_dir(names[i]);
  run_threads(write_own_file);
  for (int t = 0; t < THREADS; t++) {
    model_open(jobs[t].path, 0644);
    for (int i = 0; i < ROUNDS; i++)
      model_write(jobs[t].path, PIECE, buffer);
    for (int i = 0; i < ROUNDS; i++)
      model_pread(jobs[t].path, PIECE * i, PIECE, buffer);
    model_close(jobs[t].path);
  }
}

static int shared_fd;

static void *write_shared_file(void *argument) {
  struct job *job = argument;
  for (long i = 0; i < ROUNDS; i++)
    CHECK(pwrite(shared_fd, buffer, PIECE, (i * THREADS + job->number) * 4096) == PIECE);
  return NULL;
}

/* Excludes counters that depend on the order in which threads run. */
static void expect_any_order(const char *path) {
  static const char *const counters[] = {
      "POSIX_SEQ_WRITES",     "POSIX_CONSEC_WRITES",  "POSIX_MAX_WRITE_TIME_SIZE",
      "POSIX_STRIDE1_STRIDE", "POSIX_STRIDE2_STRIDE", "POSIX_STRIDE3_STRIDE",
      "POSIX_STRIDE4_STRIDE", "POSIX_STRIDE1_COUNT",  "POSIX_STRIDE2_COUNT",
      "POSIX_STRIDE3_COUNT",  "POSIX_STRIDE4_COUNT"};
  for (size_t i = 0; i < sizeof counters / sizeof counters[0]; i++)
    expect_any(path, counters[i]);
}

SCENARIO(threads_with_one_file) {
  const char *path = in_dir("file");
  shared_fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(shared_fd >= 0);
  model_open(path, 0644);
  run_threads(write_shared_file);
  for (long i = 0; i < ROUNDS * THREADS; i++)
    model_pwrite(path, i * 4096, PIECE, buffer);
  expect_any_order(path);
}

static FILE *shared_stream;

static void *write_shared_stream(void *argument) {
  (void)argument;
  for (int i = 0; i < ROUNDS; i++)
    CHECK(fwrite(buffer, PIECE, 1, shared_stream) == 1);
  return NULL;
}

SCENARIO(threads_with_one_stream) {
  const char *path = in_dir("file");
  shared_stream = fopen(path, "w");
  CHECK(shared_stream != NULL);
  model_fopen(path);
  run_threads(write_shared_stream);
  for (int i = 0; i < ROUNDS * THREADS; i++)
    model_fwrite(path, PIECE);
  CHECK(fclose(shared_stream) == 0 && raw_size(path) == (long)ROUNDS * THREADS * PIECE);
}

/* Opens, writes and closes a file of its own many times, so that threads get descriptors with the
 * same numbers. */
static void *open_and_close(void *argument) {
  struct job *job = argument;
  for (int i = 0; i < ROUNDS / 4; i++) {
    int fd = open(job->path, O_CREAT | O_RDWR, 0644);
    CHECK(fd >= 0 && write(fd, buffer, (size_t)job->number + 1) == job->number + 1);
    CHECK(close(fd) == 0);
  }
  return NULL;
}

SCENARIO(threads_reusing_numbers) {
  for (int i = 0; i < THREADS; i++)
    jobs[i].path = in_dir(names[i]);
  run_threads(open_and_close);
  for (int t = 0; t < THREADS; t++)
    for (int i = 0; i < ROUNDS / 4; i++) {
      model_open(jobs[t].path, 0644);
      model_write(jobs[t].path, t + 1, buffer);
      model_close(jobs[t].path);
    }
}

static atomic_bool stop;

static void *write_until_told(void *argument) {
  struct job *job = argument;
  job->fd = open(job->path, O_CREAT | O_RDWR, 0644);
  CHECK(job->fd >= 0);
  while (!stop) {
    CHECK(pwrite(job->fd, buffer, PIECE, 0) == PIECE);
    job->done++;
  }
  return NULL;
}

/* Each child opens, writes and exits; its alarm ends a child that hangs. */
SCENARIO(fork_while_threads_write) {
  enum { BUSY = 3, FORKS = 20 };
  for (int i = 0; i < BUSY; i++) {
    jobs[i].path = in_dir(names[i]);
    CHECK(pthread_create(&jobs[i].thread, NULL, write_until_told, &jobs[i]) == 0);
  }
  const char *path = in_dir("child");
  for (int i = 0; i < FORKS; i++) {
    pid_t child = fork();
    if (child == 0) {
      alarm(30);
      int fd = open(path, O_CREAT | O_RDWR, 0644);
      _exit(fd >= 0 && write(fd, buffer, PIECE) == PIECE && close(fd) == 0 ? 0 : 1);
    }
    reap(child, 0);
  }
  stop = true;
  expect_nothing_about(path);
  long writes = FORKS;
  for (int i = 0; i < BUSY; i++) {
    CHECK(pthread_join(jobs[i].thread, NULL) == 0);
    expect_nothing_about(jobs[i].path);
    writes += jobs[i].done;
  }
  expect_sum("POSIX_OPENS", BUSY + FORKS);
  expect_sum("POSIX_WRITES", writes);
  expect_sum("POSIX_BYTES_WRITTEN", writes * PIECE);
}
