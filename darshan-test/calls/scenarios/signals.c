/* Scenarios for signal handlers that do I/O or never return. */
#include "../calls.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static const char *handler_path;
static volatile long handled;

static void every(long microseconds, void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void no_more(void) {
  struct itimerval off = {{0, 0}, {0, 0}};
  CHECK(setitimer(ITIMER_REAL, &off, NULL) == 0);
}

static void handler_with_io(int signal) {
  (void)signal;
  int saved = errno;
  int fd = open(handler_path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0 && write(fd, buffer, 16) == 16 && close(fd) == 0);
  handled++;
  errno = saved;
}

/* A signal handler does I/O. Every operation is counted or reported as dropped; the test compares
 * both with the number of operations. */
SPECIAL(io_in_signal_handler) {
  handler_path = in_dir("handler");
  const char *path = in_dir("main");
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  every(200, handler_with_io);
  long writes = 0;
  while (handled < 3000) {
    CHECK(pwrite(fd, buffer, 16, 0) == 16);
    writes++;
  }
  no_more();
  expect_value(path, "POSIX_WRITES", writes);
  expect_value(handler_path, "POSIX_WRITES", handled);
  expect_value(handler_path, "POSIX_OPENS", handled);
}

/* Makes one call of each kind. A signal handler may interrupt any of them, but all of the main
 * program's own calls must be counted. */
static void one_of_everything(const char *path, const char *stream_path, const char *renamed) {
  struct stat st;
  int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0 && write(fd, buffer, 100) == 100 && dprintf(fd, "%d", 5) == 1);
  model_open(path, 0644);
  model_write(path, 100, buffer);
  model_write(path, 1, NULL);
  void *at = mmap(NULL, 101, PROT_READ, MAP_SHARED, fd, 0);
  CHECK(at != MAP_FAILED && munmap(at, 101) == 0);
  expect(path, "POSIX_MMAPS", 1);
  model_ext(path, "POSIX_EXT_MMAP_BYTES", 101);
  int copy = dup(fd);
  CHECK(copy >= 0 && close(copy) == 0 && fstat(fd, &st) == 0 && close(fd) == 0);
  model_dup(path);
  model_close(path);
  model_stat(path);
  model_close(path);
  FILE *stream = fopen(stream_path, "w");
  CHECK(stream && fprintf(stream, "%s %d\n", "text", 1) == 7 && putc('c', stream) == 'c');
  CHECK(fseek(stream, 0, SEEK_SET) == 0 && fwrite(buffer, 1, 50, stream) == 50);
  CHECK(fclose(stream) == 0 && rename(path, renamed) == 0 && stat(renamed, &st) == 0);
  model_fopen(stream_path);
  model_fwrite(stream_path, 7);
  model_fwrite(stream_path, 1);
  model_fseek(stream_path, 0);
  model_fwrite(stream_path, 50);
  model_rename(path, renamed);
  model_stat(renamed);
}

SCENARIO(handler_in_everything) {
  handler_path = in_dir("handler");
  expect_nothing_about(handler_path);
  expect_any(in_dir("file"), "POSIX_EXT_MMAP_UNMEASURED"); /* the inspection of pages has a limit */
  every(200, handler_with_io);
  while (handled < 2000)
    one_of_everything(in_dir("file"), in_dir("stream"), in_dir("renamed"));
  no_more();
}

static sigjmp_buf back;

static void handler_that_jumps(int signal) {
  (void)signal;
  handled++;
  siglongjmp(back, 1);
}

/* A signal handler jumps out of a wrapper by longjmp. Later calls are counted nevertheless. */
SCENARIO(jump_out_of_handler) {
  const char *path = in_dir("interrupted"), *later = in_dir("later");
  volatile int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  sigsetjmp(back, 1);
  if (handled == 0) every(300, handler_that_jumps);
  while (handled < 1000)
    CHECK(pwrite(fd, buffer, 16, 0) == 16);
  no_more();
  expect_nothing_about(path); /* the number of interruptions is unknown */
  int fd2 = open(later, O_CREAT | O_RDWR, 0644);
  CHECK(fd2 >= 0);
  model_open(later, 0644);
  for (int i = 0; i < 100; i++) {
    CHECK(write(fd2, buffer, 16) == 16);
    model_write(later, 16, buffer);
  }
}
