/* Process ends that no wrapper sees: the log or the journal has all earlier operations. */
#include "../calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void some_io(void) {
  const char *path = in_dir("file"), *stream_path = in_dir("stream");
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  model_open(path, 0644);
  for (int i = 0; i < 50; i++) {
    CHECK(write(fd, buffer, 100) == 100);
    model_write(path, 100, buffer);
  }
  FILE *stream = fopen(stream_path, "w");
  CHECK(stream != NULL);
  model_fopen(stream_path);
  CHECK(fwrite(buffer, 1, 500, stream) == 500);
  model_fwrite(stream_path, 500);
  CHECK(mkdir(in_dir("folder"), 0755) == 0);
  model_ext(in_dir("folder"), "POSIX_EXT_MKDIRS", 1);
  finish();
}

#define DEATH(name, call)                                                                          \
  SPECIAL(name) {                                                                                  \
    some_io();                                                                                     \
    call;                                                                                          \
    pause();                                                                                       \
  }
DEATH(die_of_sigkill, kill(getpid(), SIGKILL))
DEATH(die_of_sigterm, kill(getpid(), SIGTERM))
DEATH(die_of_sigint, kill(getpid(), SIGINT))
DEATH(die_of_sigsegv, raise(SIGSEGV))
DEATH(die_of_sigbus, raise(SIGBUS))
DEATH(die_of_abort, abort())
DEATH(die_of_exit_group, SYS1(SYS_exit_group, 0))
DEATH(die_of_syscall, syscall(SYS_exit_group, 0))

static void *outlive_main(void *argument) {
  (void)argument;
  SYS2(SYS_nanosleep, (&(struct timespec){0, 50000000}), NULL);
  some_io();
  return NULL;
}

/* The last thread to end ends the process. */
SCENARIO(last_thread_is_not_main) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, outlive_main, NULL) == 0);
  pthread_exit(NULL);
}

/* Below a new root, neither the log folder nor the journal folder exists when the process ends. */
SPECIAL(imprisoned) {
  if (chroot(test_dir) != 0 || chdir("/") != 0) skip("only root can change the root");
  test_dir = "";
  int fd = open("file", O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0 && write(fd, buffer, 100) == 100);
  CHECK(printf("output\n") == 7);
  exit(0);
}

static const char *late_path;

static void late_io(void) {
  int fd = open(late_path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0 && write(fd, buffer, 100) == 100);
}

/* Exit handlers do I/O of the application. */
SCENARIO(io_in_exit_handler) {
  late_path = in_dir("late");
  CHECK(atexit(late_io) == 0);
  model_open(late_path, 0644);
  model_write(late_path, 100, buffer);
}

static bool destroy_late;
__attribute__((destructor)) static void late_destructor(void) {
  if (destroy_late) late_io();
}

SCENARIO(io_in_destructor) {
  late_path = in_dir("late");
  destroy_late = true;
  model_open(late_path, 0644);
  model_write(late_path, 100, buffer);
}

/* Closes every descriptor number like a daemon, also numbers that were never open. */
SCENARIO(close_everything) {
  const char *path = in_dir("file");
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  model_open(path, 0644);
  CHECK(write(fd, buffer, 100) == 100);
  model_write(path, 100, buffer);
  for (int i = 3; i < 1024; i++)
    close(i);
  model_close(path);
  fd = open(path, O_RDWR);
  CHECK(fd >= 0);
  model_open(path, 0);
  CHECK(write(fd, buffer, 100) == 100);
  model_write(path, 100, buffer);
}

/* Reuses descriptor numbers by dup2 like a shell. The last one refers to the file. */
SCENARIO(dup2_over_everything) {
  const char *path = in_dir("file");
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  model_open(path, 0644);
  for (int i = fd + 1; i < 300; i++) {
    CHECK(dup2(fd, i) == i);
    model_dup(path);
  }
  CHECK(write(299, buffer, 100) == 100);
  model_write(path, 100, buffer);
}
