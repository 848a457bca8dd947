/* Signal handlers that do I/O, or that never return. */
#include "../calls.h"

#include <setjmp.h>
#include <signal.h>
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

/* Everything is counted or said to be dropped; the test adds it up.  The file
 * sizes tell the test what was really done. */
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

static sigjmp_buf back;

static void handler_that_jumps(int signal) {
  (void)signal;
  handled++;
  siglongjmp(back, 1);
}

/* A jump may leave a wrapper half-way; later calls count all the same. */
SCENARIO(jump_out_of_handler) {
  const char *path = in_dir("interrupted"), *later = in_dir("later");
  volatile int fd = open(path, O_CREAT | O_RDWR, 0644);
  CHECK(fd >= 0);
  sigsetjmp(back, 1);
  if (handled == 0) every(300, handler_that_jumps);
  while (handled < 1000)
    CHECK(pwrite(fd, buffer, 16, 0) == 16);
  no_more();
  expect_nothing_about(path); /* how often it was interrupted is unknown */
  int fd2 = open(later, O_CREAT | O_RDWR, 0644);
  CHECK(fd2 >= 0);
  model_open(later, 0644);
  for (int i = 0; i < 100; i++) {
    CHECK(write(fd2, buffer, 16) == 16);
    model_write(later, 16, buffer);
  }
}
